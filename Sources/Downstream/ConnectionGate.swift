import Synchronization

/// Counts client connections over all workers. Touched when one comes or goes, never on a request's path.
package final class ConnectionGate: Sendable {
  private let open = Atomic<Int>(0)
  private let limit: Int

  package init(limit: Int) {
    self.limit = limit
  }

  /// - Returns: false when the limit is reached.
  func enter() -> Bool {
    if open.wrappingAdd(1, ordering: .relaxed).newValue <= limit { return true }
    leave()
    return false
  }

  func leave() {
    open.wrappingSubtract(1, ordering: .relaxed)
  }
}
