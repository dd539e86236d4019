/// Which idle upstream connection is used next, kept or closed. Rule C2.
///
/// A value without sockets: connections are ids, time is an argument in nanoseconds of a monotonic clock.
/// The connection used last is used next, so that the others grow old and are let go.
package struct IdlePool: Equatable, Sendable {
  package typealias ConnectionID = UInt64

  /// What holds for every connection.
  package struct Policy: Equatable, Sendable {
    /// Over all origins.
    package var maximumIdle: Int
    package var keepAlive: Int64
    package var maximumAge: Int64

    package init(maximumIdle: Int, keepAlive: Int64, maximumAge: Int64) {
      self.maximumIdle = maximumIdle
      self.keepAlive = keepAlive
      self.maximumAge = maximumAge
    }
  }

  package enum CheckIn: Equatable, Sendable {
    /// Kept until taken, or until it expires at `deadline`.
    case keep(deadline: Int64)
    /// Kept, and another one has to go to make room.
    case keepEvicting(ConnectionID, deadline: Int64)
    case close
  }

  private struct Idle: Equatable, Sendable {
    var id: ConnectionID
    var deadline: Int64
  }

  private let policy: Policy
  private var idle: [[Idle]] = []
  package private(set) var count = 0

  package init(policy: Policy) {
    self.policy = policy
  }

  /// The connection to use for `origin`, or nil when a new one is needed.
  package mutating func checkOut(origin: Int, now: Int64) -> ConnectionID? {
    guard origin < idle.count, let last = idle[origin].last, last.deadline > now else { return nil }
    idle[origin].removeLast()
    count -= 1
    return last.id
  }

  /// A connection's exchange ended cleanly on both sides.
  /// - Parameter born: when it was connected.
  package mutating func checkIn(
    _ id: ConnectionID, origin: Int, born: Int64, now: Int64
  ) -> CheckIn {
    let deadline = min(now + policy.keepAlive, born + policy.maximumAge)
    guard policy.maximumIdle > 0, deadline > now else { return .close }
    while idle.count <= origin { idle.append([]) }
    idle[origin].append(Idle(id: id, deadline: deadline))
    count += 1
    guard count > policy.maximumIdle else { return .keep(deadline: deadline) }
    return .keepEvicting(evictOldest(sparing: id), deadline: deadline)
  }

  /// A connection ended, was found to hold octets, or reached its deadline while idle.
  package mutating func remove(_ id: ConnectionID, origin: Int) {
    guard origin < idle.count, let index = idle[origin].lastIndex(where: { $0.id == id }) else { return }
    idle[origin].remove(at: index)
    count -= 1
  }

  /// Forgets all; the caller closes them.
  package mutating func removeAll() -> [ConnectionID] {
    let all = idle.flatMap { $0.map(\.id) }
    idle = []
    count = 0
    return all
  }

  private mutating func evictOldest(sparing spared: ConnectionID) -> ConnectionID {
    var victim: (origin: Int, index: Int, deadline: Int64)?
    for origin in idle.indices {
      guard let first = idle[origin].first, first.id != spared else { continue }
      if victim.map({ first.deadline < $0.deadline }) ?? true { victim = (origin, 0, first.deadline) }
    }
    guard let victim else { return spared }
    count -= 1
    return idle[victim.origin].remove(at: victim.index).id
  }
}
