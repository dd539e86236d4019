import COpenSSL

/// A TLS protocol version.
package enum TLSVersion: String, Sendable, CaseIterable {
  case tls11 = "TLSv1.1"
  case tls12 = "TLSv1.2"
  case tls13 = "TLSv1.3"

  var number: Int32 {
    switch self {
    case .tls11: TLS1_1_VERSION
    case .tls12: TLS1_2_VERSION
    case .tls13: TLS1_3_VERSION
    }
  }
}

/// Owns an `SSL_CTX`; made once, then only read.
final class TLSContext: @unchecked Sendable {
  let raw: OpaquePointer

  /// The settings both sides share.
  ///
  /// Below TLS 1.2 OpenSSL wants security level 0.
  init(server: Bool, minimum: TLSVersion, maximum: TLSVersion) throws(PeerError) {
    guard let raw = SSL_CTX_new(server ? TLS_server_method() : TLS_client_method()) else {
      throw .tls("SSL_CTX_new", TLSContext.reason(ERR_peek_error()))
    }
    self.raw = raw
    if minimum == .tls11 || maximum == .tls11 {
      SSL_CTX_set_security_level(raw, 0)
      SSL_CTX_set_cipher_list(raw, "ALL:@SECLEVEL=0")
    }
    guard octet_ctx_set_min_version(raw, minimum.number) == 1,
      octet_ctx_set_max_version(raw, maximum.number) == 1
    else { throw .tls("protocol versions", TLSContext.reason(ERR_peek_error())) }
  }

  deinit { SSL_CTX_free(raw) }

  /// Loads a PEM chain and its key.
  func use(_ certificate: IssuedCertificate) throws(PeerError) {
    ERR_clear_error()
    guard SSL_CTX_use_certificate_chain_file(raw, certificate.chainFile) == 1,
      SSL_CTX_use_PrivateKey_file(raw, certificate.keyFile, SSL_FILETYPE_PEM) == 1
    else { throw .tls("certificate \(certificate.chainFile)", TLSContext.reason(ERR_peek_error())) }
  }

  /// A connection's TLS state; owned by the caller.
  func makeSSL() throws(PeerError) -> OpaquePointer {
    guard let ssl = SSL_new(raw) else { throw .tls("SSL_new", TLSContext.reason(ERR_peek_error())) }
    return ssl
  }

  /// OpenSSL's text for an error code.
  static func reason(_ code: UInt) -> String {
    ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
  }
}

/// What a client said in its ClientHello.
package struct ClientHello: Equatable, Sendable {
  /// SNI host names, as sent; nil without the extension.
  package var serverName: String?
  /// ALPN protocol names in the client's order.
  package var protocols: [String] = []

  /// An empty hello: nothing was read.
  package init() {}

  /// Reads the extensions during OpenSSL's client-hello callback.
  init(_ ssl: OpaquePointer) {
    // server_name_list: u16 length, then type (0 = host_name), u16 length, name. RFC 6066 section 3.
    if let octets = ClientHello.octets(ssl, type: 0), octets.count >= 5, octets[2] == 0 {
      let length = Int(octets[3]) << 8 | Int(octets[4])
      serverName = String(decoding: octets.dropFirst(5).prefix(length), as: UTF8.self)
    }
    // ProtocolNameList: u16 length, then names with one length octet each. RFC 7301 section 3.1.
    if let octets = ClientHello.octets(ssl, type: 16) {
      var rest = octets.dropFirst(2)
      while let length = rest.first {
        protocols.append(String(decoding: rest.dropFirst().prefix(Int(length)), as: UTF8.self))
        rest = rest.dropFirst(1 + Int(length))
      }
    }
  }

  private static func octets(_ ssl: OpaquePointer, type: UInt32) -> [UInt8]? {
    var start: UnsafePointer<UInt8>?
    var count = 0
    guard SSL_client_hello_get0_ext(ssl, type, &start, &count) == 1, let start else { return nil }
    return Array(UnsafeBufferPointer(start: start, count: count))
  }
}
