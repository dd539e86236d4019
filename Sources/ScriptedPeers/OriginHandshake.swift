import CLinux
import COpenSSL
import Glibc

/// The server side of a TLS handshake, with the faults a test asks for.
enum OriginHandshake {
  /// What OpenSSL's callbacks need; one for each connection.
  private final class Notes {
    var hello = ClientHello()
    let tls: OriginTLS
    init(_ tls: OriginTLS) { self.tls = tls }
  }

  /// A server context for `tls`.
  static func context(_ tls: OriginTLS) throws(PeerError) -> TLSContext {
    let context = try TLSContext(server: true, minimum: tls.minimum, maximum: tls.maximum)
    try context.use(tls.certificate)
    if tls.sessionTickets {
      SSL_CTX_set_session_id_context(context.raw, [1], 1)
    } else {
      octet_ctx_set_no_ticket(context.raw)
      SSL_CTX_set_num_tickets(context.raw, 0)
      _ = octet_ctx_set_session_cache_mode(context.raw, Int(SSL_SESS_CACHE_OFF))
    }
    SSL_CTX_set_client_hello_cb(
      context.raw,
      { ssl, alert, _ in
        guard let ssl, let notes = OriginHandshake.notes(ssl) else { return SSL_CLIENT_HELLO_ERROR }
        notes.hello = ClientHello(ssl)
        guard notes.tls.handshake == .complete else {
          alert?.pointee = SSL_AD_HANDSHAKE_FAILURE
          return SSL_CLIENT_HELLO_ERROR
        }
        return SSL_CLIENT_HELLO_SUCCESS
      }, nil)
    SSL_CTX_set_alpn_select_cb(
      context.raw,
      { ssl, chosen, count, offered, offeredCount, _ in
        guard let ssl, let notes = OriginHandshake.notes(ssl), let offered else {
          return SSL_TLSEXT_ERR_NOACK
        }
        for name in notes.tls.protocols {
          let wanted = Array(name.utf8)
          var offset = 0
          while offset < Int(offeredCount) {
            let length = Int(offered[offset])
            let found = UnsafeBufferPointer(start: offered + offset + 1, count: length)
            if found.elementsEqual(wanted) {
              chosen?.pointee = offered + offset + 1
              count?.pointee = UInt8(length)
              return SSL_TLSEXT_ERR_OK
            }
            offset += 1 + length
          }
        }
        return SSL_TLSEXT_ERR_NOACK
      }, nil)
    return context
  }

  /// Makes the handshake on a connection and records what came of it; false when there is nothing to serve.
  static func run(
    _ tls: OriginTLS, _ context: TLSContext, _ connection: ScriptedConnection, _ origin: ScriptedOrigin
  ) throws -> Bool {
    let channel = connection.channel
    if tls.handshake == .silent {
      _ = origin.awaitStop(Deadline(within: origin.patience))
      return false
    }
    let ssl = try context.makeSSL()
    let notes = Notes(tls)
    SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(notes).toOpaque())
    channel.attach(ssl)
    if tls.handshake == .close {
      guard awaitReadiness(channel.descriptor, POLLIN, Deadline(within: origin.patience)) else {
        return false
      }
      var ignored = [UInt8](repeating: 0, count: 16_384)
      _ = octet_receive(channel.descriptor, &ignored, ignored.count)
      return false
    }
    let (_, failure) = channel.drive(Deadline(within: origin.patience)) { SSL_accept($0) }
    origin.record(connection.index) { record in
      record.hello = notes.hello
      switch failure {
      case nil:
        record.tlsVersion = SSL_get_version(ssl).map { String(cString: $0) }
        record.negotiatedProtocol = selectedProtocol(ssl)
        record.isResumed = SSL_session_reused(ssl) == 1
      case .timedOut: record.handshakeError = "timed out"
      case .end(let end): record.handshakeError = "\(end)"
      }
      if case .end(let end) = failure { record.end = end }
    }
    withExtendedLifetime(notes) { _ = SSL_set_ex_data(ssl, 0, nil) }
    return failure == nil
  }

  private static func notes(_ ssl: OpaquePointer) -> Notes? {
    SSL_get_ex_data(ssl, 0).map { Unmanaged<Notes>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// The ALPN name both sides agreed on.
func selectedProtocol(_ ssl: OpaquePointer) -> String? {
  var start: UnsafePointer<UInt8>?
  var count: UInt32 = 0
  SSL_get0_alpn_selected(ssl, &start, &count)
  guard let start, count > 0 else { return nil }
  return String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
}
