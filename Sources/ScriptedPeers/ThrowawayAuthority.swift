import COpenSSL
import Glibc

/// What a leaf certificate says.
package struct CertificateProfile: Sendable {
  /// When the certificate holds, seen from now.
  package enum Validity: Sendable {
    case current
    case expired
    case notYetValid
  }
  /// The kind of the leaf's key.
  package enum Key: Sendable {
    case p256
    case rsa2048
  }

  package var commonName: String
  /// Subject alternative names; none at all makes a CN-only certificate. A wildcard is written as `*.example.test`.
  package var dnsNames: [String]
  /// IP addresses among the alternative names.
  package var addresses: [String]
  package var validity: Validity
  package var key: Key
  /// Signed by its own key instead of the authority's.
  package var isSelfSigned: Bool

  /// A certificate for `dnsNames` and `addresses`; the common name is the first of them unless given.
  package init(
    dnsNames: [String] = [], addresses: [String] = [], commonName: String? = nil,
    validity: Validity = .current, key: Key = .p256, isSelfSigned: Bool = false
  ) {
    self.commonName = commonName ?? dnsNames.first ?? addresses.first ?? "nobody"
    self.dnsNames = dnsNames
    self.addresses = addresses
    self.validity = validity
    self.key = key
    self.isSelfSigned = isSelfSigned
  }
}

/// PEM files of one leaf; they live until the process exits.
package struct IssuedCertificate: Sendable, Equatable {
  /// The leaf, then the authority (a self-signed leaf stands alone).
  package let chainFile: String
  package let keyFile: String
}

/// A certificate authority for one test run: its key never leaves memory.
package final class ThrowawayAuthority: @unchecked Sendable {
  /// Where the PEM files are.
  package let directory: String
  /// The authority's own certificate.
  package let caFile: String
  private let key: OpaquePointer
  private let certificate: OpaquePointer
  private let issued = Monitor(0)

  /// Makes a P-256 authority and writes its certificate to a new temporary directory.
  package init(name: String = "Throw-away Authority") throws(PeerError) {
    directory = try TemporaryDirectory.make()
    guard let key = octet_make_p256_key() else { throw .tls("CA key", "none") }
    self.key = key
    certificate = try ThrowawayAuthority.build(name, key, -86_400, 86_400 * 30)
    try ThrowawayAuthority.add(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE")
    try ThrowawayAuthority.add(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign")
    try ThrowawayAuthority.add(certificate, certificate, NID_subject_key_identifier, "hash")
    X509_set_issuer_name(certificate, X509_get_subject_name(certificate))
    guard X509_sign(certificate, key, EVP_sha256()) > 0 else { throw .tls("sign the CA", "failed") }
    caFile = try TemporaryDirectory.write(PEM.certificate(certificate), "ca.pem", in: directory)
  }

  deinit {
    X509_free(certificate)
    EVP_PKEY_free(key)
  }

  /// Issues a leaf and writes its chain and key.
  package func issue(_ profile: CertificateProfile) throws(PeerError) -> IssuedCertificate {
    let madeKey = profile.key == .p256 ? octet_make_p256_key() : octet_make_rsa_key()
    guard let leafKey = madeKey else { throw .tls("leaf key", "none") }
    defer { EVP_PKEY_free(leafKey) }
    let day = 86_400
    let (start, end) =
      switch profile.validity {
      case .current: (-day, day * 20)
      case .expired: (-day * 20, -day)
      case .notYetValid: (day, day * 20)
      }
    let leaf = try ThrowawayAuthority.build(profile.commonName, leafKey, start, end)
    defer { X509_free(leaf) }
    let issuer = profile.isSelfSigned ? leaf : certificate
    let usage = profile.key == .rsa2048 ? "digitalSignature,keyEncipherment" : "digitalSignature"
    try ThrowawayAuthority.add(leaf, issuer, NID_basic_constraints, "critical,CA:FALSE")
    try ThrowawayAuthority.add(leaf, issuer, NID_key_usage, "critical," + usage)
    try ThrowawayAuthority.add(leaf, issuer, NID_ext_key_usage, "serverAuth")
    let names = profile.dnsNames.map { "DNS:" + $0 } + profile.addresses.map { "IP:" + $0 }
    if !names.isEmpty {
      try ThrowawayAuthority.add(leaf, issuer, NID_subject_alt_name, names.joined(separator: ","))
    }
    X509_set_issuer_name(leaf, X509_get_subject_name(issuer))
    guard X509_sign(leaf, profile.isSelfSigned ? leafKey : key, EVP_sha256()) > 0 else {
      throw .tls("sign the leaf", "failed")
    }
    let number = issued.change { count in
      count += 1
      return count
    }
    let chain = PEM.certificate(leaf) + (profile.isSelfSigned ? [] : PEM.certificate(certificate))
    return IssuedCertificate(
      chainFile: try TemporaryDirectory.write(chain, "leaf-\(number).pem", in: directory),
      keyFile: try TemporaryDirectory.write(PEM.privateKey(leafKey), "leaf-\(number).key", in: directory))
  }

  /// Issues a current P-256 leaf for `names` and the loopback addresses.
  package func issue(_ names: String...) throws(PeerError) -> IssuedCertificate {
    try issue(CertificateProfile(dnsNames: names, addresses: ["127.0.0.1", "127.0.0.2", "::1"]))
  }

  private static func build(
    _ name: String, _ key: OpaquePointer, _ start: Int, _ end: Int
  ) throws(PeerError) -> OpaquePointer {
    guard let certificate = X509_new() else { throw .tls("X509_new", "failed") }
    X509_set_version(certificate, 2)
    ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), UInt64.random(in: 1...UInt64(Int64.max)))
    X509_gmtime_adj(X509_getm_notBefore(certificate), start)
    X509_gmtime_adj(X509_getm_notAfter(certificate), end)
    X509_set_pubkey(certificate, key)
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8, name, -1, -1, 0)
    return certificate
  }

  private static func add(
    _ certificate: OpaquePointer, _ issuer: OpaquePointer, _ extensionID: Int32, _ value: String
  ) throws(PeerError) {
    guard octet_add_extension(certificate, issuer, extensionID, value) == 1 else {
      throw .tls("extension \(value)", TLSContext.reason(ERR_peek_error()))
    }
  }
}

/// OpenSSL objects as PEM octets.
private enum PEM {
  static func certificate(_ certificate: OpaquePointer) -> [UInt8] {
    text { PEM_write_bio_X509($0, certificate) }
  }
  static func privateKey(_ key: OpaquePointer) -> [UInt8] {
    text { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
  }
  private static func text(_ write: (OpaquePointer) -> Int32) -> [UInt8] {
    guard let memory = BIO_new(BIO_s_mem()) else { return [] }
    defer { BIO_free(memory) }
    guard write(memory) == 1 else { return [] }
    var start: UnsafeMutablePointer<CChar>?
    let count = octet_bio_memory(memory, &start)
    guard let start else { return [] }
    return UnsafeBufferPointer(start: start, count: count).map(UInt8.init(bitPattern:))
  }
}
