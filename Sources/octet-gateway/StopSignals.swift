import Glibc

/// SIGTERM and SIGINT, taken by the thread that waits for them; blocked before any other thread starts, so that no
/// worker is interrupted.
struct StopSignals {
  private var set = sigset_t()

  init() {
    sigemptyset(&set)
    sigaddset(&set, SIGTERM)
    sigaddset(&set, SIGINT)
    pthread_sigmask(SIG_BLOCK, &set, nil)
    _ = signal(SIGPIPE, SIG_IGN)
    // What rotates logs or closes a terminal sends it; there is no reload yet, and it must not end a gateway undrained.
    _ = signal(SIGHUP, SIG_IGN)
  }

  func wait() {
    var set = set
    var received: Int32 = 0
    while sigwait(&set, &received) != 0 {}
  }
}
