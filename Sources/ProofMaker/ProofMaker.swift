/// Builds and signs proofs as the SDK does since 2.0.0, with a software key ("Tier 2": nothing is attested).
///
/// The proofs are synthetic: position and measurements are invented, signatures and bindings are real.
package struct ProofMaker: Sendable {
  package var platform: ProofPlatform
  package var key: SigningKey
  /// UUID text; Android writes it in lower case, iOS in upper case.
  package var id: String
  package var region = ClaimedRegion.country("AT")
  package var positionCommitment = sha256(Array("octet-synthetic-position".utf8))
  package var nullifier = sha256(Array("octet-synthetic-nullifier".utf8))
  /// When the proof was made, in milliseconds since 1970.
  package var timestampMilliseconds: Int64 = 1_798_761_600_000
  package var sdkVersion = "3.0.0"
  /// The base64url text of a session nonce; nil leaves out the stage.
  package var sessionNonce: String? = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
  /// Covered by the device signature.
  package var attestationNonce: [UInt8]? = Array(0..<16)
  /// The server's upload nonce; nil leaves out the stage and the envelope's replay control.
  package var uploadNonce: [UInt8]?
  /// Octets of `proof_bytes` of the zero-knowledge proof.
  package var zkProofSize = 32

  /// A maker with a new key unless one is given.
  package init(
    platform: ProofPlatform, key: SigningKey = SigningKey(),
    id: String = "3e6a4d07-a8d9-4c37-b65a-02f93c37e201"
  ) {
    self.platform = platform
    self.key = key
    self.id = platform == .ios ? id.uppercased() : id.lowercased()
  }

  /// Makes a LocationProof; signatures differ each time, and with DER the size does by a few octets.
  package func make() -> [UInt8] {
    var proof = ProtobufMessage()
    proof.add(1, id)
    proof.add(2, region.message)
    proof.add(3, region.level)
    let zkProof = makeZKProof()
    proof.add(4, zkProof)
    proof.add(5, positionCommitment)
    proof.add(6, nullifier)
    proof.add(7, timestampMilliseconds)
    let attestation = makeAttestation()
    proof.add(8, attestation)
    // The semantic binding reads these; their place on the wire is after the stages.
    var tail = ProtobufMessage()
    tail.add(11, 1)
    tail.add(12, sdkVersion)
    tail.add(13, platform.rawValue)
    tail.add(17, 1)
    var whole = proof
    whole.fields += tail.fields

    var chain = StageChain(platform: platform, key: key, time: timestampMilliseconds)
    chain.append("spoofDetection", sha256(Array("octet-synthetic-spoof".utf8)))
    chain.append("levelDetermination", sha256(Array("octet-synthetic-level".utf8)))
    chain.append("commitment", sha256(positionCommitment))
    chain.append("nullifier", sha256(nullifier))
    chain.append("zkProof", sha256(zkProof.bytes(2) ?? []))
    chain.append("deviceAttestation", sha256(attestation.bytes(2) ?? []))
    if let sessionNonce { chain.append("sessionBinding", StageHash.session(sessionNonce)) }
    chain.append("semanticFields", sha256(SemanticBinding.preimage(whole) ?? []))
    chain.append("validation", sha256(Array("octet-synthetic-validation".utf8)))
    if let uploadNonce { chain.append("uploadChallenge", sha256(uploadNonce)) }
    chain.appendAssembly()
    for stage in chain.stages { proof.add(10, stage) }
    proof.fields += tail.fields
    return proof.octets
  }

  /// Makes a LocationProof of exactly `count` octets, by the size of the zero-knowledge proof.
  ///
  /// - Returns: nil when `count` is too small.
  package func make(count: Int) -> [UInt8]? {
    var maker = self
    // DER signatures vary in length, so the size is met by trying; one in a handful fits.
    for _ in 0..<2000 {
      let proof = maker.make()
      if proof.count == count { return proof }
      maker.zkProofSize += count - proof.count
      if maker.zkProofSize < 1 { return nil }
    }
    return nil
  }

  private func makeZKProof() -> ProtobufMessage {
    var message = ProtobufMessage()
    message.add(1, 4)
    // Not one repeated octet, so that a lost or doubled block is seen.
    message.add(2, (0..<zkProofSize).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 11) })
    for input in ["pressure_earthlike=0", "altitude_plausible=0", "terrestrial_network=0"] {
      message.add(3, input)
    }
    message.add(4, "pol-level1-v1")
    return message
  }

  private func makeAttestation() -> ProtobufMessage {
    var message = ProtobufMessage()
    message.add(1, "octet-synthetic-key")
    let signed = StageHash.deviceMessage(positionCommitment, timestampMilliseconds, attestationNonce ?? [])
    message.add(2, key.sign(signed, for: platform))
    message.add(3, key.publicPoint)
    message.add(7, 4)
    if let attestationNonce { message.add(10, attestationNonce) }
    return message
  }
}

/// Hashes and messages that maker and checker share.
enum StageHash {
  static func session(_ nonce: String) -> [UInt8] {
    let octets = Array(nonce.utf8)
    return sha256(Array("octet-session-binding-v1".utf8) + bigEndian(UInt64(octets.count), 4) + octets)
  }

  static func deviceMessage(_ commitment: [UInt8], _ milliseconds: Int64, _ nonce: [UInt8]) -> [UInt8] {
    let time = bigEndian(UInt64(bitPattern: milliseconds), 8)
    return Array("octet-device-attestation-v1".utf8) + sha256(commitment + time + nonce)
  }

  static func stageMessage(
    _ name: [UInt8], _ hash: [UInt8], _ milliseconds: Int64, _ previous: [UInt8]?
  ) -> [UInt8] {
    name + hash + bigEndian(UInt64(bitPattern: milliseconds), 8) + (previous ?? [])
  }
}

/// The stages of a proof under construction, each signed over its own data and the hash before it.
private struct StageChain {
  let platform: ProofPlatform
  let key: SigningKey
  var time: Int64
  private(set) var stages: [ProtobufMessage] = []

  init(platform: ProofPlatform, key: SigningKey, time: Int64) {
    self.platform = platform
    self.key = key
    self.time = time
  }

  mutating func append(_ name: String, _ hash: [UInt8]) {
    let previous = stages.last?.bytes(3)
    var stage = ProtobufMessage()
    stage.add(1, name)
    stage.add(2, time)
    stage.add(3, hash)
    stage.add(4, key.sign(StageHash.stageMessage(Array(name.utf8), hash, time, previous), for: platform))
    if let previous { stage.add(5, previous) }
    stages.append(stage)
    time += 1
  }

  mutating func appendAssembly() {
    append("proofAssembly", sha256(stages.flatMap { $0.bytes(4) ?? [] }))
  }
}
