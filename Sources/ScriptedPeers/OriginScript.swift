/// One step of an origin's behaviour on a connection.
package enum OriginStep: Sendable {
  /// Reads a head; a request is recorded from here on.
  case readHead
  /// Reads exactly so many octets of content.
  case readContent(Int)
  /// Reads a chunked body with its trailers.
  case readChunkedBody
  /// Reads the body as the head's framing fields say.
  case readBody
  /// Head and body.
  case readRequest
  /// Reads until the client ends the connection, as content of the request.
  case readUntilEnd
  /// Writes octets at once.
  case send([UInt8])
  /// Writes octets in pieces, with a pause after each.
  case sendDribbled([UInt8], size: Int, every: Duration)
  /// Does nothing for a while; ``ScriptedOrigin/stop()`` ends it.
  case pause(Duration)
  /// Reads nothing until the test calls ``ScriptedOrigin/signal(_:)``: back pressure, or "not yet".
  case waitForSignal(String)
  /// Reads, recording, until the client ends the connection.
  case expectClientEnd
  /// Ends cleanly, then reads and records what still comes, so that no reset overtakes what was sent.
  case closeNotifyAndClose
  /// FIN without close_notify, then reads as above: a cut response. In the clear it is an ordinary end.
  case closeAbruptly
  /// Closes the descriptor: the kernel resets when octets were left unread.
  case closeAtOnce
  /// RST.
  case reset
  /// Anything else.
  case custom(@Sendable (ScriptedConnection) throws -> Void)
}

/// What a responding origin does with one complete request.
package struct ScriptedResponse: Sendable {
  /// Carried out in order; the connection stays unless a step ended it.
  package var steps: [OriginStep]

  /// Any steps.
  package init(_ steps: [OriginStep]) { self.steps = steps }

  /// Literal octets; the connection stays.
  package static func octets(_ octets: [UInt8]) -> ScriptedResponse { ScriptedResponse([.send(octets)]) }

  /// A response with a Content-Length; `fields` come first, each without CRLF.
  package static func status(
    _ status: Int, _ reason: String = "Scripted", fields: [String] = [], content: [UInt8] = []
  ) -> ScriptedResponse {
    let lines = ["HTTP/1.1 \(status) \(reason)"] + fields + ["Content-Length: \(content.count)", "", ""]
    return .octets(Array(lines.joined(separator: "\r\n").utf8) + content)
  }

  /// 200 with `content`.
  package static func ok(_ content: [UInt8] = [], fields: [String] = []) -> ScriptedResponse {
    .status(200, "OK", fields: fields, content: content)
  }

  /// The same, and a clean close after it.
  package var thenClose: ScriptedResponse { ScriptedResponse(steps + [.closeNotifyAndClose]) }
}

/// The TLS side of an origin.
package struct OriginTLS: Sendable {
  /// What becomes of handshakes.
  package enum Handshake: Sendable {
    case complete
    /// A fatal alert answers the ClientHello.
    case refuse
    /// The connection ends, without an alert, at the ClientHello.
    case close
    /// Nothing is ever read or written.
    case silent
  }

  package var certificate: IssuedCertificate
  package var minimum: TLSVersion
  package var maximum: TLSVersion
  package var handshake: Handshake
  /// Session tickets and resumption; off, every connection makes a full handshake.
  package var sessionTickets: Bool
  /// ALPN names in order of preference; the first that the client offers is chosen, none is no failure.
  package var protocols: [String]

  /// TLS 1.2 and 1.3 with `certificate`.
  package init(
    _ certificate: IssuedCertificate, minimum: TLSVersion = .tls12, maximum: TLSVersion = .tls13,
    handshake: Handshake = .complete, sessionTickets: Bool = false, protocols: [String] = ["http/1.1"]
  ) {
    self.certificate = certificate
    self.minimum = minimum
    self.maximum = maximum
    self.handshake = handshake
    self.sessionTickets = sessionTickets
    self.protocols = protocols
  }

  /// One version only.
  package static func only(_ version: TLSVersion, _ certificate: IssuedCertificate) -> OriginTLS {
    OriginTLS(certificate, minimum: version, maximum: version)
  }
}
