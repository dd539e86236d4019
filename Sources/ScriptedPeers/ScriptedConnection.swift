import COpenSSL

/// A connection at an origin, for ``OriginStep/custom(_:)`` and the steps themselves; used by its own thread.
package final class ScriptedConnection {
  /// Which it is, from 0.
  package let index: Int
  let channel: Channel
  private let origin: ScriptedOrigin
  private let reader: WireReader
  /// Where the running request is in the log.
  private var request: Int?
  private var requests = 0
  /// A step has ended the connection.
  private(set) var isEnded = false

  init(_ index: Int, _ channel: Channel, _ origin: ScriptedOrigin) {
    self.index = index
    self.channel = channel
    self.origin = origin
    reader = WireReader(channel) { octets in
      origin.record(index) { record in
        record.arrivals.append(
          Arrival(offset: record.octets.count, count: octets.count, time: origin.elapsed))
        record.octets += octets
      }
    }
  }

  private var deadline: Deadline { Deadline(within: origin.patience) }

  /// Runs steps in order; stops after one that ends the connection.
  package func run(_ steps: [OriginStep]) throws {
    for step in steps where !isEnded { try run(step) }
  }

  private func run(_ step: OriginStep) throws {
    switch step {
    case .readHead: try readHead()
    case .readContent(let count): try readBody { try $0.content(count, into: &$1, $2) }
    case .readChunkedBody: try readBody { try $0.chunked(into: &$1, $2) }
    case .readBody: try readBody()
    case .readRequest:
      try readHead()
      try readBody()
    case .readUntilEnd:
      try readBody { [self] reader, body, deadline in
        let end = try reader.untilEnd(into: &body, deadline)
        record(end)
      }
    case .send(let octets): try send(octets)
    case .sendDribbled(let octets, let size, let interval):
      for start in stride(from: 0, to: octets.count, by: max(1, size)) {
        try send(Array(octets[start..<min(octets.count, start + max(1, size))]))
        try pause(interval)
      }
    case .pause(let duration): try pause(duration)
    case .waitForSignal(let name): try origin.awaitSignal(name, deadline)
    case .expectClientEnd: try expectClientEnd()
    case .closeNotifyAndClose: close(cleanly: true)
    case .closeAbruptly: close(cleanly: false)
    case .closeAtOnce:
      isEnded = true
      channel.closeAtOnce()
    case .reset:
      isEnded = true
      channel.reset()
    case .custom(let body): try body(self)
    }
  }

  /// Reads a head and begins a request in the log.
  @discardableResult
  package func readHead(within duration: Duration? = nil) throws -> WireHead {
    let head = try reading { try $0.head(duration.map { Deadline(within: $0) } ?? deadline) }
    let place = requests
    requests += 1
    request = origin.append(RecordedRequest(connection: index, place: place, head: head))
    return head
  }

  /// Reads the body that the last head announces; marks the request as complete.
  package func readBody() throws {
    guard let request, let head = origin.request(request)?.head else { return }
    if head.isChunked {
      try readBody { try $0.chunked(into: &$1, $2) }
    } else if let length = head.contentLength, length > 0 {
      try readBody { try $0.content(length, into: &$1, $2) }
    } else {
      try readBody { _, _, _ in }
    }
  }

  /// Reads one request and returns its record; nil when the client ended the connection before one began.
  func nextRequest(idle: Duration, continues: Bool) throws -> RecordedRequest? {
    do {
      try readHead(within: idle)
    } catch PeerError.ended where reader.pending.isEmpty {
      return nil
    }
    guard let request, let head = origin.request(request)?.head else { return nil }
    if continues, head.value("Expect")?.lowercased() == "100-continue" {
      try send(octets("HTTP/1.1 100 Continue⏎⏎"))
    }
    try readBody()
    return origin.request(request)
  }

  /// Writes octets.
  package func send(_ octets: [UInt8]) throws { try channel.write(octets, deadline) }

  /// Reads and records until the client ends the connection.
  package func expectClientEnd() throws {
    var ignored = WireBody()
    let end = try reader.untilEnd(into: &ignored, deadline)
    record(end)
  }

  private func readBody(_ body: (WireReader, inout WireBody, Deadline) throws -> Void) throws {
    guard let request else { throw PeerError.malformed("the script reads a body before a head") }
    var wire = origin.request(request)?.body ?? WireBody()
    var isComplete = false
    defer {
      origin.change(request) {
        $0.body = wire
        $0.isComplete = isComplete
      }
    }
    try reading { try body($0, &wire, deadline) }
    isComplete = true
  }

  private func reading<Result>(_ body: (WireReader) throws -> Result) throws -> Result {
    do {
      return try body(reader)
    } catch PeerError.ended(let end) {
      record(end)
      throw PeerError.ended(end)
    }
  }

  private func record(_ end: ConnectionEnd) {
    guard !origin.isStopped else { return }
    origin.record(index) {
      $0.end = end
      $0.endedAt = origin.elapsed
    }
  }

  private func pause(_ duration: Duration) throws {
    if origin.awaitStop(Deadline(within: duration)) { throw PeerError.stopped }
  }

  /// Ends our side, then reads for at most two seconds until the client has ended its own.
  private func close(cleanly: Bool) {
    isEnded = true
    if cleanly { channel.sendCloseNotify() }
    channel.sendEnd()
    var ignored = WireBody()
    if let end = try? reader.untilEnd(into: &ignored, Deadline(within: .seconds(2))) { record(end) }
    channel.closeAtOnce()
  }
}
