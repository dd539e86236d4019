import COpenSSL

/// How a proof's platform writes ECDSA signatures.
package enum ProofPlatform: String, Sendable, CaseIterable {
  /// DER.
  case android
  /// r and s, 32 octets each.
  case ios
}

/// A P-256 key pair that signs as the hardware key of a device would.
package final class SigningKey: @unchecked Sendable {
  private let raw: OpaquePointer
  /// The uncompressed SEC1 point, 65 octets.
  package let publicPoint: [UInt8]

  /// A new key.
  package convenience init() {
    guard let key = octet_make_p256_key() else { preconditionFailure("OpenSSL makes no P-256 key") }
    self.init(key)
  }

  /// A key given as PEM; nil when it can't be read or is not a P-256 key.
  package convenience init?(pem: [UInt8]) {
    guard let memory = BIO_new_mem_buf(pem, Int32(pem.count)) else { return nil }
    defer { BIO_free(memory) }
    guard let key = PEM_read_bio_PrivateKey(memory, nil, nil, nil) else { return nil }
    guard EVP_PKEY_get_bits(key) == 256, SigningKey.point(of: key).count == 65 else {
      EVP_PKEY_free(key)
      return nil
    }
    self.init(key)
  }

  private init(_ key: OpaquePointer) {
    raw = key
    publicPoint = SigningKey.point(of: key)
  }

  deinit { EVP_PKEY_free(raw) }

  private static func point(of key: OpaquePointer) -> [UInt8] {
    var point = [UInt8](repeating: 0, count: 200)
    var count = 0
    guard EVP_PKEY_get_octet_string_param(key, "pub", &point, point.count, &count) == 1 else { return [] }
    return Array(point.prefix(count))
  }

  /// ECDSA with SHA-256 over `message`, as `platform` writes it.
  package func sign(_ message: [UInt8], for platform: ProofPlatform) -> [UInt8] {
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    var signature = [UInt8](repeating: 0, count: 80)
    var count = signature.count
    guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, raw) == 1,
      EVP_DigestSign(context, &signature, &count, message, message.count) == 1
    else { preconditionFailure("OpenSSL does not sign") }
    let der = Array(signature.prefix(count))
    return platform == .android ? der : ECDSASignature.raw(der: der)
  }
}

/// ECDSA signatures in both encodings, and their verification.
package enum ECDSASignature {
  /// r and s of a DER signature, 32 octets each.
  static func raw(der: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: 64)
    var cursor: UnsafePointer<UInt8>?
    der.withUnsafeBufferPointer { buffer in
      cursor = buffer.baseAddress
      guard let signature = d2i_ECDSA_SIG(nil, &cursor, buffer.count) else { return }
      defer { ECDSA_SIG_free(signature) }
      result.withUnsafeMutableBufferPointer { target in
        guard let base = target.baseAddress else { return }
        BN_bn2binpad(ECDSA_SIG_get0_r(signature), base, 32)
        BN_bn2binpad(ECDSA_SIG_get0_s(signature), base + 32, 32)
      }
    }
    return result
  }

  /// The DER form of r and s; empty when they are not 64 octets.
  static func der(raw: [UInt8]) -> [UInt8] {
    guard raw.count == 64 else { return [] }
    func integer(_ octets: ArraySlice<UInt8>) -> [UInt8] {
      var value = Array(octets.drop { $0 == 0 })
      if value.first.map({ $0 >= 0x80 }) ?? true { value.insert(0, at: 0) }
      return [0x02, UInt8(value.count)] + value
    }
    let body = integer(raw[..<32]) + integer(raw[32...])
    return [0x30, UInt8(body.count)] + body
  }

  /// Whether `signature` of `message` was made by the key that `certificate` carries.
  ///
  /// - Parameter certificate: a bare 65-octet SEC1 point, or an X.509 certificate in DER.
  static func isValid(
    _ signature: [UInt8], of message: [UInt8], by certificate: [UInt8], for platform: ProofPlatform
  ) -> Bool {
    guard let key = publicKey(certificate) else { return false }
    defer { EVP_PKEY_free(key) }
    let der = platform == .android ? signature : der(raw: signature)
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    ERR_clear_error()
    return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
      && EVP_DigestVerify(context, der, der.count, message, message.count) == 1
  }

  /// SubjectPublicKeyInfo of an id-ecPublicKey on prime256v1, up to the point.
  private static let header: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A,
    0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
  ]

  private static func publicKey(_ certificate: [UInt8]) -> OpaquePointer? {
    if certificate.count == 65, certificate[0] == 4 {
      return (header + certificate).withUnsafeBufferPointer { buffer in
        var cursor = buffer.baseAddress
        return d2i_PUBKEY(nil, &cursor, buffer.count)
      }
    }
    return certificate.withUnsafeBufferPointer { buffer in
      var cursor = buffer.baseAddress
      guard let leaf = d2i_X509(nil, &cursor, buffer.count) else { return nil }
      defer { X509_free(leaf) }
      return X509_get_pubkey(leaf)
    }
  }
}

/// SHA-256.
func sha256(_ octets: [UInt8]) -> [UInt8] {
  var digest = [UInt8](repeating: 0, count: 32)
  _ = SHA256(octets, octets.count, &digest)
  return digest
}

/// The low `count` octets of `number`, most significant first.
func bigEndian(_ number: UInt64, _ count: Int) -> [UInt8] {
  (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}
