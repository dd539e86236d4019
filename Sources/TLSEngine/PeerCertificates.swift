import COpenSSL

/// The certificates of an established session's peer, for people.
package struct PeerCertificates: Equatable, Sendable {
  package struct Certificate: Equatable, Sendable {
    /// The common name, or the whole name where there is none.
    package let subject: String
    package let issuer: String
  }

  /// As the peer sent them, the leaf first.
  package let chain: [Certificate]
  /// Whole days until the leaf expires; negative when it has.
  package let daysLeft: Int

  /// - Parameter session: an `SSL *` whose handshake is done.
  /// - Returns: nil when the peer has shown no certificate.
  package init?(of session: UnsafeMutableRawPointer) {
    guard let stack = SSL_get_peer_cert_chain(OpaquePointer(session)) else { return nil }
    let certificates = (0..<OPENSSL_sk_num(stack)).compactMap { index in
      OPENSSL_sk_value(stack, index).map { OpaquePointer($0) }
    }
    guard let leaf = certificates.first else { return nil }
    chain = certificates.map { certificate in
      Certificate(
        subject: PeerCertificates.text(X509_get_subject_name(certificate)),
        issuer: PeerCertificates.text(X509_get_issuer_name(certificate)))
    }
    var days: Int32 = 0
    var seconds: Int32 = 0
    // From nil, which is now.
    _ = ASN1_TIME_diff(&days, &seconds, nil, X509_get0_notAfter(leaf))
    daysLeft = Int(days)
  }

  private static func text(_ name: OpaquePointer?) -> String {
    guard let name else { return "nobody" }
    let index = X509_NAME_get_index_by_NID(name, NID_commonName, -1)
    if index >= 0, let data = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index)) {
      let octets = UnsafeBufferPointer(
        start: ASN1_STRING_get0_data(data), count: Int(ASN1_STRING_length(data)))
      return printable("CN=" + String(decoding: octets, as: UTF8.self))
    }
    guard let whole = X509_NAME_oneline(name, nil, 0) else { return "nobody" }
    defer { octet_free(whole) }
    return printable(String(cString: whole))
  }

  /// A certificate's names are a stranger's words: nothing of them may act on a terminal.
  private static func printable(_ text: String) -> String {
    String(
      text.unicodeScalars.map { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? "?" : Character($0) })
  }
}

/// OpenSSL's verdicts and versions in words.
package enum SessionFacts {
  /// Why a chain was not accepted, such as "certificate has expired"; nil when it was, or when OpenSSL does not say.
  package static func verdict(_ code: Int) -> String? {
    guard code != Int(X509_V_OK), code != Int(X509_V_ERR_UNSPECIFIED) else { return nil }
    return String(cString: X509_verify_cert_error_string(code))
  }

  /// `TLSv1.2` or `TLSv1.3`, of an `SSL *` whose handshake is done.
  package static func version(of session: UnsafeMutableRawPointer) -> String {
    String(cString: SSL_get_version(OpaquePointer(session)))
  }
}
