import COpenSSL

/// A listener's certificate and TLS rules. Shared by all workers: OpenSSL locks what it must, and nothing of it is
/// written after `init`.
///
/// TLS 1.2 and 1.3; no renegotiation, no compression, no early data (RFC 8470: a replayed POST would be a second
/// proof); sessions resume by tickets.
package final class ServerContext: @unchecked Sendable {
  let raw: OpaquePointer

  /// - Parameters:
  ///   - certificateFile: PEM, the leaf first, then its intermediates.
  ///   - keyFile: PEM, not encrypted.
  package init(certificateFile: String, keyFile: String) throws(TLSError) {
    ERR_clear_error()
    guard let context = SSL_CTX_new(TLS_server_method()) else { throw TLSError(.contextFailed) }
    raw = context
    _ = octet_ctx_set_min_version(raw, TLS1_2_VERSION)
    _ = SSL_CTX_set_options(raw, ServerContext.options)
    SessionModes.apply(to: raw)
    _ = octet_ctx_set_session_cache_mode(raw, Int(SSL_SESS_CACHE_OFF))
    _ = SSL_CTX_set_num_tickets(raw, 1)
    SSL_CTX_set_alpn_select_cb(raw, selectProtocol, nil)
    guard SSL_CTX_use_certificate_chain_file(raw, certificateFile) == 1 else {
      throw TLSError(.certificateUnreadable)
    }
    guard SSL_CTX_use_PrivateKey_file(raw, keyFile, SSL_FILETYPE_PEM) == 1 else {
      throw TLSError(ServerContext.isMismatch(ERR_peek_last_error()) ? .keyDoesNotMatch : .keyUnreadable)
    }
    guard SSL_CTX_check_private_key(raw) == 1 else { throw TLSError(.keyDoesNotMatch) }
  }

  deinit { SSL_CTX_free(raw) }

  /// OpenSSL compares a key with a certificate of its own kind while it loads the key.
  private static func isMismatch(_ error: UInt) -> Bool {
    octet_error_library(error) == ERR_LIB_X509 && octet_error_reason(error) == X509_R_KEY_VALUES_MISMATCH
  }

  private static var options: UInt64 {
    UInt64(1) << 30  // SSL_OP_NO_RENEGOTIATION
      | UInt64(1) << 17  // SSL_OP_NO_COMPRESSION
      | UInt64(1) << 22  // SSL_OP_CIPHER_SERVER_PREFERENCE
      | UInt64(1) << 21  // SSL_OP_PRIORITIZE_CHACHA, for phones without AES instructions
  }
}

/// Buffers and partial writes, alike on both sides: idle connections hold no record buffers, one read takes all the
/// socket has.
enum SessionModes {
  private static let modes = 0x1 | 0x2 | 0x10  // partial write, moving write buffer, release buffers

  static func apply(to context: OpaquePointer) {
    _ = octet_ctx_set_mode(context, modes)
    octet_ctx_set_read_ahead(context, 1)
  }

  static func apply(toSession session: OpaquePointer) {
    _ = octet_ssl_set_mode(session, modes)
    octet_ssl_set_read_ahead(session, 1)
  }
}

/// Chooses `http/1.1` from the client's list. A list without it is no error: the client that speaks another protocol
/// gets a 400 it can understand. RFC 7301.
private let selectProtocol: SSL_CTX_alpn_select_cb_func = { _, chosen, chosenLength, list, length, _ in
  guard let list, let chosen, let chosenLength else { return SSL_TLSEXT_ERR_NOACK }
  let offered = UnsafeBufferPointer(start: list, count: Int(length))
  let ours: StaticString = "http/1.1"
  var index = 0
  while index < offered.count {
    let count = Int(offered[index])
    let start = index + 1
    guard start + count <= offered.count else { break }
    if count == ours.utf8CodeUnitCount,
      (0..<count).allSatisfy({ offered[start + $0] == ours.utf8Start[$0] })
    {
      chosen.pointee = list + start
      chosenLength.pointee = UInt8(count)
      return SSL_TLSEXT_ERR_OK
    }
    index = start + count
  }
  return SSL_TLSEXT_ERR_NOACK
}
