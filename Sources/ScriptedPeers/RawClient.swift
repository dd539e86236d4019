import CLinux
import COpenSSL
import Glibc

/// A TLS session that a later connection may resume.
package final class TLSSession: @unchecked Sendable {
  let raw: OpaquePointer
  init(_ raw: OpaquePointer) { self.raw = raw }
  deinit { SSL_SESSION_free(raw) }
}

/// The TLS side of a client.
package struct ClientTLS: Sendable {
  /// PEM bundle; nil verifies nothing.
  package var caFile: String?
  /// SNI, and the name the certificate must carry; nil sends no SNI and checks no name.
  package var serverName: String?
  package var minimum: TLSVersion
  package var maximum: TLSVersion
  /// ALPN names; empty sends no extension.
  package var protocols: [String]
  /// Offered for resumption.
  package var session: TLSSession?
  /// Sent as TLS 1.3 early data with `session`; see ``RawClient/earlyData``.
  package var earlyData: [UInt8]?

  /// TLS 1.2 and 1.3, verified against `caFile` and `serverName`.
  package init(
    caFile: String?, serverName: String?, minimum: TLSVersion = .tls12, maximum: TLSVersion = .tls13,
    protocols: [String] = ["http/1.1"], session: TLSSession? = nil, earlyData: [UInt8]? = nil
  ) {
    self.caFile = caFile
    self.serverName = serverName
    self.minimum = minimum
    self.maximum = maximum
    self.protocols = protocols
    self.session = session
    self.earlyData = earlyData
  }

  /// One version only.
  package func only(_ version: TLSVersion) -> ClientTLS {
    var copy = self
    copy.minimum = version
    copy.maximum = version
    return copy
  }
}

/// What became of early data.
package enum EarlyDataOutcome: Equatable, Sendable {
  /// None was asked for.
  case unused
  /// The session does not allow it, so none was sent.
  case notAllowed
  case rejected
  case accepted
}

/// A blocking HTTP/1.1 client that writes literal octets; for one thread at a time.
package final class RawClient {
  let channel: Channel
  let reader: WireReader
  private let context: TLSContext?
  /// Every octet received so far, decrypted.
  package var received: [UInt8] { inbox.octets }
  private let inbox = Inbox()
  /// What became of ``ClientTLS/earlyData``.
  package private(set) var earlyData = EarlyDataOutcome.unused

  private final class Inbox { var octets: [UInt8] = [] }

  /// Connects, with TLS when `tls` is given.
  ///
  /// - Parameter receiveBuffer: SO_RCVBUF, for slow readers.
  /// - Throws: ``PeerError/system(_:_:)`` from connecting, ``PeerError/handshake(_:)`` when TLS fails.
  package init(
    port: UInt16, address: String = "127.0.0.1", tls: ClientTLS? = nil, receiveBuffer: Int? = nil,
    within duration: Duration = .seconds(10)
  ) throws {
    let deadline = Deadline(within: duration)
    channel = Channel(
      try Sockets.connect(address, port: port, receiveBuffer: receiveBuffer, deadline))
    let inbox = inbox
    reader = WireReader(channel) { inbox.octets += $0 }
    context = try tls.map { try RawClient.context($0) }
    if let tls, let context { try shakeHands(tls, context, deadline) }
  }

  private static func context(_ tls: ClientTLS) throws(PeerError) -> TLSContext {
    let context = try TLSContext(server: false, minimum: tls.minimum, maximum: tls.maximum)
    if let caFile = tls.caFile {
      SSL_CTX_set_verify(context.raw, SSL_VERIFY_PEER, nil)
      guard SSL_CTX_load_verify_file(context.raw, caFile) == 1 else { throw .tls("CA file", caFile) }
    }
    if !tls.protocols.isEmpty {
      let list = tls.protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
      SSL_CTX_set_alpn_protos(context.raw, list, UInt32(list.count))
    }
    return context
  }

  private func shakeHands(_ tls: ClientTLS, _ context: TLSContext, _ deadline: Deadline) throws(PeerError) {
    let ssl = try context.makeSSL()
    channel.attach(ssl)
    if let name = tls.serverName {
      _ = octet_ssl_set_server_name(ssl, name)
      if tls.caFile != nil { _ = octet_ssl_set_host(ssl, name) }
    }
    if let session = tls.session { SSL_set_session(ssl, session.raw) }
    if let octets = tls.earlyData {
      earlyData = .notAllowed
      if let session = tls.session, SSL_SESSION_get_max_early_data(session.raw) > 0 {
        var written = 0
        let (_, failure) = channel.drive(deadline) {
          SSL_write_early_data($0, octets, octets.count, &written)
        }
        earlyData = failure == nil ? .rejected : .notAllowed
      }
    }
    let (_, failure) = channel.drive(deadline) { SSL_connect($0) }
    switch failure {
    case nil: break
    case .timedOut: throw .timedOut("the handshake")
    case .end(.tlsError(let reason)): throw .handshake(reason)
    case .end(let end): throw .handshake("\(end)")
    }
    if earlyData == .rejected, SSL_get_early_data_status(ssl) == SSL_EARLY_DATA_ACCEPTED {
      earlyData = .accepted
    }
  }

  // MARK: TLS

  /// The agreed version, such as `TLSv1.3`.
  package var tlsVersion: String? { channel.ssl.flatMap { SSL_get_version($0) }.map { String(cString: $0) } }

  /// The ALPN name the server chose.
  package var negotiatedProtocol: String? { channel.ssl.flatMap { selectedProtocol($0) } }

  /// Whether the session was resumed.
  package var isResumed: Bool { channel.ssl.map { SSL_session_reused($0) == 1 } ?? false }

  /// The present session; over TLS 1.3 it is resumable only after something was read.
  package var session: TLSSession? { channel.ssl.flatMap { SSL_get1_session($0) }.map { TLSSession($0) } }

  /// Asks for a TLS 1.2 renegotiation; throws ``PeerError/handshake(_:)`` when the server refuses or leaves.
  package func renegotiate(within duration: Duration = .seconds(10)) throws {
    guard let ssl = channel.ssl, SSL_renegotiate(ssl) == 1 else { throw PeerError.handshake("not possible") }
    let (_, failure) = channel.drive(Deadline(within: duration)) { SSL_do_handshake($0) }
    switch failure {
    case nil: break
    case .timedOut: throw PeerError.timedOut("the renegotiation")
    case .end(let end): throw PeerError.handshake("\(end)")
    }
    // The request alone is sent by the call above; the answer comes with the next read.
    let deadline = Deadline(within: duration)
    while SSL_renegotiate_pending(ssl) == 1 || SSL_in_init(ssl) == 1 {
      var octet: UInt8 = 0
      let (_, failure) = channel.drive(deadline) { SSL_peek($0, &octet, 1) }
      if case .end(let end) = failure { throw PeerError.handshake("\(end)") }
      if failure == .timedOut { throw PeerError.timedOut("the renegotiation") }
    }
  }
}
