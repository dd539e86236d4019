import CLinux
import Glibc

/// State that several threads share: every access is locked, and a thread can wait, with a bound, for a change.
package final class Monitor<State>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var state: State

  /// Begins with `state`.
  package init(_ state: State) {
    self.state = state
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Reads the state.
  package func read<Result>(_ body: (State) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(state)
  }

  /// Changes the state and wakes the waiting threads.
  @discardableResult
  package func change<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    return try body(&state)
  }

  /// Waits until `body` gives a value.
  ///
  /// - Returns: that value, or nil when the deadline came first.
  package func wait<Result>(_ deadline: Deadline, until body: (State) -> Result?) -> Result? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(state) { return result }
      if deadline.isPast { return nil }
      var time = timespec(
        tv_sec: Int(deadline.nanoseconds / 1_000_000_000), tv_nsec: Int(deadline.nanoseconds % 1_000_000_000))
      pthread_cond_timedwait(condition, mutex, &time)
    }
  }
}

/// Runs `body` on a thread of its own, so that blocking there holds up nobody.
package func onThread(_ body: @escaping @Sendable () -> Void) {
  final class Box {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let box = Unmanaged.passRetained(Box(body))
  let status = pthread_create(
    &thread, nil,
    { argument in
      guard let argument else { return nil }
      Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
      return nil
    }, box.toOpaque())
  precondition(status == 0, "no thread could be started: \(status)")
  pthread_detach(thread)
}
