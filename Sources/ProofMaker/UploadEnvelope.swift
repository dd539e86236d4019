import COpenSSL

/// The JSON body of a proof upload, as literal octets.
///
/// The keys are those of envelopes read back from the service (schema version 2); their order in a real upload and
/// further keys are not public, so bodies made here are synthetic shapes.
package struct UploadEnvelope: Sendable {
  package var proofID: String
  /// A UUID.
  package var licenseID = "00000000-0000-4000-8000-0c7e70000001"
  /// RFC 3339.
  package var createdAt = "2026-12-31T00:00:00Z"
  package var platform: ProofPlatform
  package var sdkVersion: String
  package var proof: [UInt8]
  package var uploadNonce: [UInt8]?
  package var nullifier: [UInt8]
  package var signedTimestamp: Int64

  /// An envelope around `proof`; its other values are read from the proof, which must hold.
  package init(_ proof: [UInt8], uploadNonce: [UInt8]?) throws(ProofCheck.Fault) {
    let summary = try ProofCheck.check(proof, uploadNonce: uploadNonce)
    self.proof = proof
    self.uploadNonce = uploadNonce
    proofID = summary.id
    platform = summary.platform
    sdkVersion = summary.sdkVersion
    nullifier = summary.nullifier
    signedTimestamp = summary.signedTimestamp
  }

  /// The body. No value here needs escaping in JSON.
  package var octets: [UInt8] {
    var members = [
      #""schema_version":2"#,
      #""proof_id":"\#(proofID)""#,
      #""proof_bytes_b64":"\#(Base64URL.encode(proof))""#,
      #""license_id":"\#(licenseID)""#,
      #""created_at":"\#(createdAt)""#,
      #""platform":"\#(platform.rawValue)""#,
      #""sdk_version":"\#(sdkVersion)""#,
      #""proof_schema":"octet.proof.LocationProof""#,
    ]
    if let uploadNonce {
      let nonce = #""upload_nonce":"\#(Base64URL.encode(uploadNonce))""#
      let nullifier = #""nullifier":"\#(Base64URL.encode(nullifier))""#
      members.append(#""replay_control":{\#(nonce),\#(nullifier),"signed_timestamp_ms":\#(signedTimestamp)}"#)
    }
    return Array("{\(members.joined(separator: ","))}".utf8)
  }

  /// The proof in a body made by this type; nil when there is none. No JSON parser: it looks for the key.
  package static func proof(in body: [UInt8]) -> [UInt8]? {
    let parts = String(decoding: body, as: UTF8.self).split(separator: #""proof_bytes_b64":""#, maxSplits: 1)
    guard parts.count == 2, let text = parts[1].split(separator: "\"", maxSplits: 1).first else { return nil }
    return Base64URL.decode(String(text))
  }
}

/// Base64 with the URL alphabet and without padding. RFC 4648 section 5.
package enum Base64URL {
  /// The text for `octets`.
  package static func encode(_ octets: [UInt8]) -> String {
    var text = [UInt8](repeating: 0, count: (octets.count + 2) / 3 * 4 + 1)
    let count = Int(EVP_EncodeBlock(&text, octets, Int32(octets.count)))
    return String(
      decoding: text.prefix(count).filter { $0 != 0x3D }.map { $0 == 0x2B ? 0x2D : $0 == 0x2F ? 0x5F : $0 },
      as: UTF8.self)
  }

  /// The octets of `text`; nil when it is not base64url.
  package static func decode(_ text: String) -> [UInt8]? {
    guard !text.utf8.contains(where: { $0 == 0x2B || $0 == 0x2F || $0 == 0x3D }) else { return nil }
    var input: [UInt8] = text.utf8.map { $0 == 0x2D ? 0x2B : $0 == 0x5F ? 0x2F : $0 }
    guard input.count % 4 != 1 else { return nil }
    let padding = (4 - input.count % 4) % 4
    input += [UInt8](repeating: 0x3D, count: padding)
    var octets = [UInt8](repeating: 0, count: input.count / 4 * 3)
    guard input.isEmpty || EVP_DecodeBlock(&octets, input, Int32(input.count)) >= 0 else { return nil }
    return octets.dropLast(padding)
  }
}
