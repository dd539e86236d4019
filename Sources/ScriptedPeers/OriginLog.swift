/// Octets that arrived together.
package struct Arrival: Equatable, Sendable {
  /// Where they begin among the connection's octets.
  package let offset: Int
  package let count: Int
  /// Since the origin was made.
  package let time: Duration
}

/// What an origin saw of one connection.
package struct RecordedConnection: Sendable {
  /// Which it was, from 0, over restarts too.
  package let index: Int
  /// Since the origin was made.
  package let acceptedAt: Duration
  /// From the ClientHello; empty in the clear.
  package var hello = ClientHello()
  /// The version that was agreed, such as `TLSv1.3`; nil in the clear or without a handshake.
  package var tlsVersion: String?
  /// The ALPN name that was chosen.
  package var negotiatedProtocol: String?
  /// Whether the client resumed an earlier session.
  package var isResumed = false
  /// Why the handshake failed.
  package var handshakeError: String?
  /// Every octet received, decrypted.
  package var octets: [UInt8] = []
  package var arrivals: [Arrival] = []
  /// How the *client* ended it, as far as the script read.
  package var end = ConnectionEnd.open
  /// Since the origin was made; when ``end`` was seen.
  package var endedAt: Duration?
  /// The script has run out and the descriptor is closed.
  package var isFinished = false
  /// A step that could not be carried out, such as a timeout.
  package var failure: PeerError?
}

/// What an origin saw of one request.
package struct RecordedRequest: Sendable {
  /// The connection it came on.
  package let connection: Int
  /// Its place on that connection, from 0.
  package let place: Int
  package let head: WireHead
  package var body = WireBody()
  /// Head and body were read whole.
  package var isComplete = false

  /// The method, as sent.
  package var method: String { head.method }
  /// The request target, as sent.
  package var target: String { head.target }
  /// The content without framing.
  package var content: [UInt8] { body.content }
  /// All octets of the request on the wire.
  package var octets: [UInt8] { head.octets + body.raw }
}

/// Everything an origin has recorded; a value, so a test can look at it at leisure.
package struct OriginLog: Sendable {
  package internal(set) var connections: [RecordedConnection] = []
  /// In the order in which their heads were complete.
  package internal(set) var requests: [RecordedRequest] = []

  /// The requests that were read whole.
  package var completeRequests: [RecordedRequest] { requests.filter(\.isComplete) }

  /// What went wrong in scripts.
  package var failures: [PeerError] { connections.compactMap(\.failure) }
}
