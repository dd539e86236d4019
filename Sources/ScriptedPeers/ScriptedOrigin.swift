import CLinux
import COpenSSL
import Glibc

/// An HTTP/1.1 origin that does exactly what a test tells it and records every octet; a thread for each connection.
///
/// It either answers each request by a closure, or runs a list of steps on each connection. Its threads keep it
/// alive until ``stop()``, so a test may let go of it and the gateway still finds it.
package final class ScriptedOrigin: @unchecked Sendable {
  /// What happens on a connection.
  enum Behaviour {
    case respond(@Sendable (RecordedRequest) -> ScriptedResponse)
    case script(@Sendable (Int) -> [OriginStep])
  }

  private struct State {
    var log = OriginLog()
    var signals: Set<String> = []
    var listener: Int32 = -1
    var channels: [Int: Channel] = [:]
    var running = 0
    var isStopped = false
  }

  /// An IPv4 or IPv6 literal.
  package let address: String
  /// The port; the same after ``restart()``.
  package let port: UInt16
  /// How long a step may wait for the client.
  package let patience: Duration
  private let tls: OriginTLS?
  private let context: TLSContext?
  private let behaviour: Behaviour
  private let answersExpect: Bool
  private let receiveBuffer: Int?
  private let start = octet_monotonic_nanoseconds()
  private let state = Monitor(State())

  /// An origin that answers each complete request with what `respond` says, on kept connections.
  ///
  /// - Parameter answersExpect: sends 100 before it reads the content of a request with `Expect: 100-continue`.
  package convenience init(
    address: String = "127.0.0.1", port: UInt16 = 0, tls: OriginTLS? = nil, patience: Duration = .seconds(10),
    answersExpect: Bool = true, respond: @escaping @Sendable (RecordedRequest) -> ScriptedResponse
  ) throws {
    try self.init(address, port, tls, patience, answersExpect, nil, .respond(respond))
  }

  /// An origin that runs `script(n)` on connection number n (from 0), then waits for the client's end.
  ///
  /// - Parameter receiveBuffer: SO_RCVBUF, so that a client that sends is blocked soon.
  package convenience init(
    address: String = "127.0.0.1", port: UInt16 = 0, tls: OriginTLS? = nil, patience: Duration = .seconds(10),
    receiveBuffer: Int? = nil, script: @escaping @Sendable (Int) -> [OriginStep]
  ) throws {
    try self.init(address, port, tls, patience, false, receiveBuffer, .script(script))
  }

  private init(
    _ address: String, _ port: UInt16, _ tls: OriginTLS?, _ patience: Duration, _ answersExpect: Bool,
    _ receiveBuffer: Int?, _ behaviour: Behaviour
  ) throws {
    self.address = address
    self.tls = tls
    self.patience = patience
    self.answersExpect = answersExpect
    self.receiveBuffer = receiveBuffer
    self.behaviour = behaviour
    context = try tls.map { try OriginHandshake.context($0) }
    let listener = try Sockets.listen(address, port: port, receiveBuffer: receiveBuffer)
    self.port = octet_local_port(listener)
    begin(listener)
  }

  // MARK: What was recorded

  /// All of it.
  package var log: OriginLog { state.read(\.log) }
  /// Every connection so far.
  package var connections: [RecordedConnection] { log.connections }
  /// Every request whose head was read, whole or not.
  package var requests: [RecordedRequest] { log.requests }

  /// Waits until `condition` holds; throws a timeout naming `what`.
  @discardableResult
  package func wait(
    _ what: String, within duration: Duration = .seconds(10), until condition: (OriginLog) -> Bool
  ) throws -> OriginLog {
    let found = state.wait(Deadline(within: duration)) { condition($0.log) ? $0.log : nil }
    guard let found else { throw PeerError.timedOut(what) }
    return found
  }

  /// Waits for `count` complete requests and returns all complete ones.
  @discardableResult
  package func waitForRequests(_ count: Int, within duration: Duration = .seconds(10)) throws
    -> [RecordedRequest]
  {
    try wait("\(count) requests", within: duration) { $0.completeRequests.count >= count }.completeRequests
  }

  /// Waits for `count` connections.
  @discardableResult
  package func waitForConnections(
    _ count: Int, within duration: Duration = .seconds(10)
  ) throws -> [RecordedConnection] {
    try wait("\(count) connections", within: duration) { $0.connections.count >= count }.connections
  }

  /// Waits until the client has ended connection `index`, and returns its record.
  @discardableResult
  package func waitForEnd(of index: Int, within duration: Duration = .seconds(10)) throws
    -> RecordedConnection
  {
    try wait("the end of connection \(index)", within: duration) {
      $0.connections.count > index && $0.connections[index].end != .open
    }.connections[index]
  }

  // MARK: Control

  /// Lets steps that wait for `name` go on, now and later.
  package func signal(_ name: String) { state.change { _ = $0.signals.insert(name) } }

  /// Closes the listener and every connection, and waits until their threads are done.
  package func stop() {
    let channels = state.change { state in
      state.isStopped = true
      if state.listener >= 0 { shutdown(state.listener, Int32(SHUT_RDWR)) }
      return Array(state.channels.values)
    }
    for channel in channels { channel.interrupt() }
    _ = state.wait(Deadline(within: .seconds(10))) { $0.running == 0 ? true : nil }
  }

  /// Listens again on the same port, with the same behaviour; the log goes on.
  package func restart() throws {
    stop()
    begin(try Sockets.listen(address, port: port, receiveBuffer: receiveBuffer))
  }

  // MARK: Threads

  private func begin(_ listener: Int32) {
    state.change {
      $0.isStopped = false
      $0.listener = listener
      $0.running += 1
    }
    onThread { [self] in
      while !isStopped {
        guard awaitReadiness(listener, POLLIN, Deadline(within: .seconds(60))), !isStopped else { continue }
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let descriptor = octet_accept(listener, &storage, &length)
        if descriptor >= 0 { accept(descriptor) }
      }
      state.change {
        close(listener)
        if $0.listener == listener { $0.listener = -1 }
        $0.running -= 1
      }
    }
  }

  private func accept(_ descriptor: Int32) {
    Sockets.setNoDelay(descriptor)
    let channel = Channel(descriptor)
    let index: Int? = state.change { state in
      guard !state.isStopped else { return nil }
      let index = state.log.connections.count
      state.log.connections.append(RecordedConnection(index: index, acceptedAt: elapsed))
      state.channels[index] = channel
      state.running += 1
      return index
    }
    guard let index else { return }
    onThread { [self] in
      serve(ScriptedConnection(index, channel, self))
      channel.closeAtOnce()
      state.change {
        $0.log.connections[index].isFinished = true
        $0.channels[index] = nil
        $0.running -= 1
      }
    }
  }

  private func serve(_ connection: ScriptedConnection) {
    do {
      if let tls, let context {
        let ready = try OriginHandshake.run(tls, context, connection, self)
        guard ready else { return }
      }
      switch behaviour {
      case .script(let script):
        try connection.run(script(connection.index))
        if !connection.isEnded { try connection.expectClientEnd() }
      case .respond(let respond):
        while !connection.isEnded,
          let request = try connection.nextRequest(idle: .seconds(600), continues: answersExpect)
        {
          try connection.run(respond(request).steps)
        }
      }
      if !connection.isEnded { connection.channel.sendCloseNotify() }
    } catch {
      guard !isStopped else { return }
      record(connection.index) { $0.failure = error as? PeerError ?? .malformed("\(error)") }
    }
  }
}

// What connections need of their origin.
extension ScriptedOrigin {
  var elapsed: Duration { .nanoseconds(octet_monotonic_nanoseconds() - start) }
  var isStopped: Bool { state.read(\.isStopped) }

  func record(_ connection: Int, _ change: (inout RecordedConnection) -> Void) {
    state.change { change(&$0.log.connections[connection]) }
  }

  func append(_ request: RecordedRequest) -> Int {
    state.change {
      $0.log.requests.append(request)
      return $0.log.requests.count - 1
    }
  }

  func request(_ index: Int) -> RecordedRequest? { state.read { $0.log.requests[index] } }

  func change(_ request: Int, _ change: (inout RecordedRequest) -> Void) {
    state.change { change(&$0.log.requests[request]) }
  }

  func awaitSignal(_ name: String, _ deadline: Deadline) throws(PeerError) {
    let found: Bool? = state.wait(deadline) { $0.isStopped ? false : $0.signals.contains(name) ? true : nil }
    guard let found else { throw .timedOut("the signal \(name)") }
    if !found { throw .stopped }
  }

  /// True when the origin was stopped before the deadline.
  func awaitStop(_ deadline: Deadline) -> Bool { state.wait(deadline) { $0.isStopped ? true : nil } ?? false }
}
