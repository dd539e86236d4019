/// A small checker of the chain in a proof: enough to say that a proof arrived with its meaning and signatures whole.
///
/// It knows nothing of freshness, policy or attestation roots; the verifier proper does.
package enum ProofCheck {
  /// The first thing found to be wrong.
  package enum Fault: Error, Equatable {
    case undecodable
    /// A singular top-level field occurs twice.
    case duplicate(field: UInt64)
    case unknownPlatform(String)
    case noKey
    case noStages
    case badHash(stage: String)
    case badLinkage(stage: String)
    case badTime(stage: String)
    case badSignature(stage: String)
    case badAssembly
    /// A field and its stage differ, or the stage is missing.
    case unbound(field: String)
  }

  /// What a good proof says.
  package struct Summary: Equatable, Sendable {
    package let id: String
    package let platform: ProofPlatform
    package let sdkVersion: String
    package let stages: [String]
    /// The time of `proofAssembly`, which replay control repeats.
    package let signedTimestamp: Int64
    package let nullifier: [UInt8]
    /// The device signature covers commitment, time and nonce; goldens before 2.0.0 predate it.
    package let hasDeviceSignature: Bool
    /// Whether there is a `semanticFields` stage (then it holds, as version 2).
    package let hasSemanticBinding: Bool
  }

  /// Checks every stage's signature, the linkage, the assembly and the bindings of fields to stages.
  ///
  /// - Parameters:
  ///   - sessionNonce: demands a `sessionBinding` stage for it.
  ///   - uploadNonce: demands an `uploadChallenge` stage for it.
  package static func check(
    _ octets: [UInt8], sessionNonce: String? = nil, uploadNonce: [UInt8]? = nil
  ) throws(Fault) -> Summary {
    guard let proof = ProtobufMessage(octets) else { throw .undecodable }
    let singular = proof.fields.map(\.number).filter { $0 != 10 && $0 <= 18 }
    if let twice = singular.first(where: { number in singular.count { $0 == number } > 1 }) {
      throw .duplicate(field: twice)
    }
    let name = proof.text(13) ?? ""
    guard let platform = ProofPlatform(rawValue: name) else { throw .unknownPlatform(name) }
    guard let attestation = proof.message(8), let key = attestation.allBytes(3).first else { throw .noKey }
    let stages = try readStages(proof, key, platform)
    try checkBindings(proof, attestation, stages, sessionNonce, uploadNonce)
    let signed = StageHash.deviceMessage(
      proof.bytes(5) ?? [], proof.integer(7), attestation.bytes(10) ?? [])
    return Summary(
      id: proof.text(1) ?? "", platform: platform, sdkVersion: proof.text(12) ?? "",
      stages: stages.map(\.name), signedTimestamp: stages.last?.time ?? 0, nullifier: proof.bytes(6) ?? [],
      hasDeviceSignature: ECDSASignature.isValid(
        attestation.bytes(2) ?? [], of: signed, by: key, for: platform),
      hasSemanticBinding: stages.contains { $0.name == "semanticFields" })
  }

  private struct Stage {
    let name: String
    let time: Int64
    let hash: [UInt8]
    let signature: [UInt8]
  }

  private static func readStages(
    _ proof: ProtobufMessage, _ key: [UInt8], _ platform: ProofPlatform
  ) throws(Fault) -> [Stage] {
    var stages: [Stage] = []
    for octets in proof.allBytes(10) {
      guard let message = ProtobufMessage(octets) else { throw .undecodable }
      let stage = Stage(
        name: message.text(1) ?? "", time: message.integer(2), hash: message.bytes(3) ?? [],
        signature: message.bytes(4) ?? [])
      let previous = message.bytes(5)
      guard stage.hash.count == 32 else { throw .badHash(stage: stage.name) }
      guard previous == stages.last?.hash else { throw .badLinkage(stage: stage.name) }
      guard stage.time >= stages.last?.time ?? stage.time else { throw .badTime(stage: stage.name) }
      let signed = StageHash.stageMessage(message.bytes(1) ?? [], stage.hash, stage.time, previous)
      guard ECDSASignature.isValid(stage.signature, of: signed, by: key, for: platform) else {
        throw .badSignature(stage: stage.name)
      }
      stages.append(stage)
    }
    guard let last = stages.last else { throw .noStages }
    guard last.name == "proofAssembly", last.hash == sha256(stages.dropLast().flatMap(\.signature)) else {
      throw .badAssembly
    }
    return stages
  }

  private static func checkBindings(
    _ proof: ProtobufMessage, _ attestation: ProtobufMessage, _ stages: [Stage], _ sessionNonce: String?,
    _ uploadNonce: [UInt8]?
  ) throws(Fault) {
    func hash(_ name: String) -> [UInt8]? { stages.first { $0.name == name }?.hash }
    let bindings: [(String, [UInt8]?)] = [
      ("commitment", proof.bytes(5).map { sha256($0) }),
      ("nullifier", proof.bytes(6).map { sha256($0) }),
      ("zkProof", (proof.message(4)?.bytes(2)).map { sha256($0) }),
      // Not documented, and so in every proof that the vendor published.
      ("deviceAttestation", attestation.bytes(2).map { sha256($0) }),
      ("sessionBinding", sessionNonce.map { StageHash.session($0) }),
      ("uploadChallenge", uploadNonce.map { sha256($0) }),
      ("semanticFields", hash("semanticFields") == nil ? nil : sha256(SemanticBinding.preimage(proof) ?? [])),
    ]
    for (name, expected) in bindings {
      guard let expected else { continue }
      guard hash(name) == expected else { throw .unbound(field: name) }
    }
  }
}
