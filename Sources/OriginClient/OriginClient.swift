package import EventLoop
package import Exchange
package import HTTPMessage
import OriginPool
import TLSEngine
import Transport

/// A worker's way to the upstreams: pooled connections, and new ones through libcurl. Rules C1 to C3.
package final class OriginClient {
  package enum Acquired {
    case ready(OriginConnection)
    /// The completion follows; the attempt can be cancelled.
    case connecting(Attempt)
    case failed(GatewayError)
  }

  /// Names a connection attempt.
  package struct Attempt {
    let raw: UnsafeMutableRawPointer
  }

  private let loop: EventLoop
  private let settings: OriginSettings
  private let connector: OriginConnector
  private var pool: IdlePool
  private var origins: [Origin] = []
  /// Connections by the number the pool knows them by.
  private var connections: [OriginConnection?] = []
  private var freeNumbers: [Int] = []

  package init?(loop: EventLoop, settings: OriginSettings) {
    guard let connector = OriginConnector(loop: loop) else { return nil }
    self.loop = loop
    self.settings = settings
    self.connector = connector
    pool = IdlePool(
      policy: IdlePool.Policy(
        maximumIdle: settings.maximumIdle,
        keepAlive: Int64(settings.keepAliveMilliseconds) * 1_000_000,
        maximumAge: Int64(settings.maximumAgeMilliseconds) * 1_000_000))
  }

  /// A small number for an origin, the same each time. Only the configuration names origins, so there are few.
  package func register(_ origin: Origin) -> Int {
    if let index = origins.firstIndex(of: origin) { return index }
    origins.append(origin)
    return origins.count - 1
  }

  package func origin(_ number: Int) -> Origin { origins[number] }

  // MARK: Acquiring

  /// A connection for one exchange.
  /// - Parameters:
  ///   - fresh: never a pooled one.
  package func acquire(
    origin: Int, fresh: Bool, user: any OriginConnectionUser,
    completion: @escaping (Result<OriginConnection, GatewayError>) -> Void
  ) -> Acquired {
    if !fresh, let pooled = takePooled(origin, user) { return .ready(pooled) }
    let attempt = connector.connect(to: origins[origin], settings) { [unowned self] result in
      switch result {
      case .success(let handle):
        completion(adopt(handle, origin, user))
      case .failure(let error):
        completion(.failure(error))
      }
    }
    return attempt.map { .connecting(Attempt(raw: $0)) } ?? .failed(GatewayError(.internalError))
  }

  package func cancel(_ attempt: Attempt) {
    connector.cancel(attempt.raw)
  }

  /// The kernel is asked before every use: in a turn of the loop, the connection's own event may stand behind the
  /// request that wants it. Octets that wait there answer nobody, least of all this request (rules C2 and R6).
  private func takePooled(_ origin: Int, _ user: any OriginConnectionUser) -> OriginConnection? {
    while let id = pool.checkOut(origin: origin, now: loop.now) {
      guard let connection = connection(id) else { continue }
      if connection.stream.hasSomethingToRead, !isQuiet(connection) {
        close(connection)
        continue
      }
      connection.user = user
      loop.setDeadline(nil, of: connection.id)
      return connection
    }
    return nil
  }

  private func adopt(
    _ handle: EasyHandle, _ origin: Int, _ user: any OriginConnectionUser
  ) -> Result<OriginConnection, GatewayError> {
    guard let parts = handle.takeConnection() else {
      connector.close(handle)
      return .failure(GatewayError(.internalError))
    }
    let tls = parts.tls.flatMap { TLSSession(adopting: $0, descriptor: parts.descriptor) }
    guard (tls != nil) == origins[origin].isTLS else {
      connector.close(handle)
      return .failure(GatewayError(.internalError))
    }
    let stream = ByteStream(descriptor: parts.descriptor, tls: tls, closesDescriptor: false)
    do {
      let connection = try OriginConnection(handle, stream: stream, origin: origin, client: self, loop: loop)
      connection.user = user
      connection.number = UInt64(freeNumbers.popLast() ?? connections.count)
      if Int(connection.number) == connections.count { connections.append(nil) }
      connections[Int(connection.number)] = connection
      return .success(connection)
    } catch {
      connector.close(handle)
      return .failure(GatewayError(.internalError))
    }
  }

  // MARK: Giving back

  /// The exchange is over; both sides ended cleanly if `reusable`.
  package func release(_ connection: OriginConnection, reusable: Bool) {
    connection.user = nil
    // The kernel reports an end once. One that came together with the response is behind us, so it is looked for here:
    // whoever used the connection next would wait for an answer that can't come.
    guard reusable, !connection.stream.mayHaveMore || isQuiet(connection) else { return close(connection) }
    connection.stream.releaseStorage()
    switch pool.checkIn(
      connection.number, origin: connection.origin, born: connection.born, now: loop.now)
    {
    case .keep(let deadline):
      loop.setDeadline(deadline, of: connection.id)
    case .keepEvicting(let evicted, let deadline):
      loop.setDeadline(deadline, of: connection.id)
      if let evicted = self.connection(evicted) { close(evicted) }
    case .close:
      close(connection)
    }
  }

  /// Closes every idle connection, when the worker drains.
  package func closeIdle() {
    for id in pool.removeAll() {
      if let connection = connection(id) { close(connection) }
    }
  }

  private func close(_ connection: OriginConnection) {
    connection.user = nil
    loop.unwatch(connection.stream.descriptor)
    loop.remove(connection.id)
    connections[Int(connection.number)] = nil
    freeNumbers.append(Int(connection.number))
    connector.close(connection.handle)
  }

  private func connection(_ id: IdlePool.ConnectionID) -> OriginConnection? {
    connections[Int(id)]
  }

  // MARK: Idle connections

  /// An idle connection became readable: it ended, or sent what nobody asked for, or only TLS tickets.
  func idleConnectionReady(_ connection: OriginConnection) {
    guard !isQuiet(connection) else { return }
    pool.remove(connection.number, origin: connection.origin)
    close(connection)
  }

  func idleConnectionExpired(_ connection: OriginConnection) {
    pool.remove(connection.number, origin: connection.origin)
    close(connection)
  }

  /// Whether a connection holds no octets of content and has not ended.
  private func isQuiet(_ connection: OriginConnection) -> Bool {
    connection.stream.becameReadable(peerEnded: false)
    // Not the loop's scratch: octets of the request that wants this connection may stand in it.
    return withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { buffer in
      connection.stream.read(into: buffer) == .wouldBlock
    }
  }
}
