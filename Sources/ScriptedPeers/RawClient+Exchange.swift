import CLinux
import Glibc

/// How the reading of a response came to its end.
package enum ResponseEnd: Equatable, Sendable {
  /// Its framing says that it is whole.
  case complete
  /// The connection ended cleanly (close_notify, or FIN in the clear): whole only if close-delimited.
  case closedCleanly
  /// FIN without close_notify.
  case closedWithoutCloseNotify
  case reset
  case timedOut
  /// It could not be read as HTTP/1.1, or TLS broke.
  case malformed(String)
}

/// A response as it came.
package struct RawResponse: Sendable {
  /// Heads of the 1xx responses before the final one.
  package var interim: [WireHead] = []
  /// The final head; empty when none came.
  package var head = WireHead([])
  package var body = WireBody()
  package var end = ResponseEnd.timedOut
  /// The body was to last until the connection's end.
  package var isCloseDelimited = false

  /// The final status; 0 when no head came.
  package var status: Int { head.status }
  /// The content without framing.
  package var content: [UInt8] { body.content }
  /// The values of all lines named `name`.
  package func values(_ name: String) -> [String] { head.values(name) }
  /// Whether a client may take it for whole.
  package var isWhole: Bool { end == .complete || isCloseDelimited && end == .closedCleanly }
}

extension RawClient {
  // MARK: Sending

  /// Writes octets in one go.
  package func send(_ octets: [UInt8], within duration: Duration = .seconds(10)) throws {
    try channel.write(octets, Deadline(within: duration))
  }

  /// Writes octets in pieces of `size`, each in its own segment as far as TCP allows, with a pause after each.
  package func send(
    _ octets: [UInt8], inPiecesOf size: Int, every pause: Duration = .zero,
    within duration: Duration = .seconds(30)
  ) throws {
    try send(
      octets, cutAt: Array(stride(from: size, to: octets.count, by: size)), every: pause, within: duration)
  }

  /// Writes octets in pieces cut before the given offsets (ascending).
  package func send(
    _ octets: [UInt8], cutAt cuts: [Int], every pause: Duration = .zero,
    within duration: Duration = .seconds(30)
  ) throws {
    let deadline = Deadline(within: duration)
    var start = 0
    for end in cuts + [octets.count] where end > start {
      try channel.write(Array(octets[start..<end]), deadline)
      start = end
      if pause > .zero { _ = Monitor(()).wait(Deadline(within: pause)) { nil as Bool? } }
    }
  }

  // MARK: Receiving

  /// Reads one response with the interim ones before it.
  ///
  /// - Parameters:
  ///   - method: the request's: a response to HEAD has no body, whatever its fields say.
  ///   - onInterim: called for each 1xx head as it comes, so that a test can go on with its upload.
  /// - Returns: what came, with how it ended; it does not throw, for a cut response is a result.
  package func readResponse(
    to method: String = "GET", within duration: Duration = .seconds(10),
    onInterim: (WireHead) throws -> Void = { _ in }
  ) -> RawResponse {
    let deadline = Deadline(within: duration)
    var response = RawResponse()
    do {
      while true {
        let head = try reader.head(deadline)
        guard head.status / 100 == 1, head.status != 101 else {
          response.head = head
          break
        }
        response.interim.append(head)
        try onInterim(head)
      }
      try readBody(of: &response, method, deadline)
    } catch PeerError.timedOut {
      response.end = .timedOut
    } catch PeerError.ended(let end) {
      response.end = RawClient.responseEnd(end)
    } catch {
      response.end = .malformed("\(error)")
    }
    return response
  }

  private func readBody(of response: inout RawResponse, _ method: String, _ deadline: Deadline) throws {
    response.end = .complete
    if method == "HEAD" || [101, 204, 304].contains(response.status) { return }
    if response.head.isChunked {
      try reader.chunked(into: &response.body, deadline)
    } else if let length = response.head.contentLength {
      try reader.content(length, into: &response.body, deadline)
    } else {
      response.isCloseDelimited = true
      response.end = RawClient.responseEnd(try reader.untilEnd(into: &response.body, deadline))
    }
  }

  private static func responseEnd(_ end: ConnectionEnd) -> ResponseEnd {
    switch end {
    case .open: .timedOut
    case .clean: .closedCleanly
    case .withoutCloseNotify: .closedWithoutCloseNotify
    case .reset: .reset
    case .tlsError(let reason): .malformed(reason)
    }
  }

  /// Sends a request and reads its response.
  package func exchange(_ octets: [UInt8], within duration: Duration = .seconds(10)) throws -> RawResponse {
    try send(octets, within: duration)
    return readResponse(to: WireHead(octets).method, within: duration)
  }

  /// Reads until the peer ends the connection.
  package func readAll(within duration: Duration = .seconds(10)) throws -> (
    octets: [UInt8], end: ConnectionEnd
  ) {
    var body = WireBody()
    let end = try reader.untilEnd(into: &body, Deadline(within: duration))
    return (body.raw, end)
  }

  /// Reads up to `count` octets, waiting for the first of them; a slow reader's sip.
  package func readSome(_ count: Int, within duration: Duration = .seconds(10)) throws -> [UInt8] {
    var body = WireBody()
    if reader.pending.isEmpty { try reader.fill("some octets", Deadline(within: duration), count: count) }
    try reader.content(min(count, reader.pending.count), into: &body, Deadline(within: duration))
    return body.content
  }

  /// The octets that came although none were expected, within `duration`; the end of the connection is no octet.
  package func unexpectedOctets(for duration: Duration) -> [UInt8] {
    if reader.pending.isEmpty { try? reader.fill("nothing", Deadline(within: duration)) }
    return reader.pending
  }

  /// Whether the peer ends the connection in time; octets before the end are kept in ``received``.
  package func isClosedByPeer(within duration: Duration = .seconds(10)) -> Bool {
    (try? readAll(within: duration)) != nil
  }

  // MARK: Ending

  /// close_notify (over TLS) without FIN; reading goes on.
  package func sendCloseNotify() { channel.sendCloseNotify() }

  /// FIN without close_notify; reading goes on.
  package func sendEnd() { channel.sendEnd() }

  /// Half close as a proper client does it: close_notify over TLS, and FIN.
  package func halfClose() {
    channel.sendCloseNotify()
    channel.sendEnd()
  }

  /// close_notify and close.
  package func close() {
    channel.sendCloseNotify()
    channel.closeAtOnce()
  }

  /// Close without close_notify.
  package func closeAbruptly() { channel.closeAtOnce() }

  /// RST.
  package func reset() { channel.reset() }
}
