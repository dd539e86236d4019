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
  }

  func wait() {
    var set = set
    var received: Int32 = 0
    while sigwait(&set, &received) != 0 {}
  }
}
