import Glibc

/// Brings messages from other threads to a loop. The only door from outside, with a lock of its own, and off
/// every request's path.
package final class LoopWaker: @unchecked Sendable {
  package typealias Message = @Sendable (EventLoop) -> Void

  private let descriptor: Int32
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private var pending: [Message] = []

  init(descriptor: Int32) {
    self.descriptor = descriptor
    lock = .allocate(capacity: 1)
    pthread_mutex_init(lock, nil)
  }

  deinit {
    close(descriptor)
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  /// Runs `message` on the loop's thread, soon.
  package func send(_ message: @escaping Message) {
    pthread_mutex_lock(lock)
    pending.append(message)
    pthread_mutex_unlock(lock)
    var one: UInt64 = 1
    _ = write(descriptor, &one, 8)
  }

  func deliver(on loop: EventLoop) {
    pthread_mutex_lock(lock)
    let messages = pending
    pending = []
    pthread_mutex_unlock(lock)
    for message in messages { message(loop) }
  }
}
