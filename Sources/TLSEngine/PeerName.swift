import COpenSSL

/// Which name a server's certificate has to prove. RFC 9525: subject alternative names alone count.
package enum PeerName {
  /// Makes the handshake itself check the name. libcurl's own check comes after it and falls back to the common name of
  /// a certificate without alternative names, which nobody may rely on (RFC 9525 section 2).
  /// - Parameter context: an `SSL_CTX *` of a client.
  /// - Returns: false when OpenSSL did not take the name.
  package static func require(_ host: String, of context: UnsafeMutableRawPointer) -> Bool {
    guard let parameters = SSL_CTX_get0_param(OpaquePointer(context)) else { return false }
    if X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1 { return true }
    X509_VERIFY_PARAM_set_hostflags(
      parameters, UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    return X509_VERIFY_PARAM_set1_host(parameters, host, 0) == 1
  }
}
