import COpenSSL

/// A PEM bundle of authorities, as upstream certificates are verified against.
package enum TrustFile {
  /// Reads it once, so that a bad file is an error at the start and not in every connection.
  package static func check(_ path: String) throws(TLSError) {
    ERR_clear_error()
    guard let store = X509_STORE_new() else { throw TLSError(.contextFailed) }
    defer { X509_STORE_free(store) }
    guard X509_STORE_load_file(store, path) == 1 else { throw TLSError(.authoritiesUnreadable) }
  }
}
