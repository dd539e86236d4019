import ProofMaker
import Testing

@Suite("Made proofs")
struct ProofMakerTests {
  static let nonce: [UInt8] = [1, 2, 3]

  static func made(_ platform: ProofPlatform) -> [UInt8] {
    var maker = ProofMaker(platform: platform)
    maker.uploadNonce = nonce
    return maker.make()
  }

  @Test("hold, on both platforms and for every region", arguments: ProofPlatform.allCases)
  func hold(platform: ProofPlatform) throws {
    let regions: [ClaimedRegion] = [
      .earth(maxAltitudeMeters: 10_000), .country("AT"), .subdivision("AT-9"),
      .city(name: "Wien", latitude: 48.2, longitude: 16.37, radiusMeters: 15_000),
    ]
    for region in regions {
      var maker = ProofMaker(platform: platform)
      maker.region = region
      let summary = try ProofCheck.check(maker.make(), sessionNonce: maker.sessionNonce)
      #expect(summary.hasDeviceSignature)
      #expect(summary.hasSemanticBinding)
      #expect(
        summary.stages == [
          "spoofDetection", "levelDetermination", "commitment", "nullifier", "zkProof", "deviceAttestation",
          "sessionBinding", "semanticFields", "validation", "proofAssembly",
        ])
    }
  }

  @Test("carry the key they are signed with")
  func keys() throws {
    let key = SigningKey()
    let proof = try #require(ProtobufMessage(ProofMaker(platform: .ios, key: key).make()))
    #expect(key.publicPoint.count == 65)
    #expect(proof.message(8)?.allBytes(3) == [key.publicPoint])
    #expect(proof.message(8)?.bytes(2)?.count == 64)
  }

  @Test("fail when a stage's hash has one octet flipped", arguments: ProofPlatform.allCases)
  func flippedHash(platform: ProofPlatform) throws {
    let proof = try #require(ProtobufMessage(Self.made(platform)))
    for place in 0..<proof.allBytes(10).count {
      var changed = proof
      changed.changeStage(place) { stage in
        stage.change(3) { $0[31] ^= 1 }
      }
      #expect(throws: ProofCheck.Fault.self, "stage \(place)") { try ProofCheck.check(changed.octets) }
    }
  }

  @Test("fail when a stage's signature has one octet flipped")
  func flippedSignature() throws {
    let proof = try #require(ProtobufMessage(Self.made(.ios)))
    for place in 0..<proof.allBytes(10).count {
      var changed = proof
      changed.changeStage(place) { stage in stage.change(4) { $0[40] ^= 1 } }
      #expect(throws: ProofCheck.Fault.self, "stage \(place)") { try ProofCheck.check(changed.octets) }
    }
  }

  @Test("fail when stages change places")
  func reordered() throws {
    let proof = try #require(ProtobufMessage(Self.made(.android)))
    let places = proof.fields.indices.filter { proof.fields[$0].number == 10 }
    for (left, right) in zip(places, places.dropFirst()) {
      var changed = proof
      changed.fields.swapAt(left, right)
      #expect(throws: ProofCheck.Fault.self) { try ProofCheck.check(changed.octets) }
    }
  }

  @Test("fail when a bound field is changed")
  func changedFields() throws {
    let proof = try #require(ProtobufMessage(Self.made(.android)))
    for (number, name) in [(5 as UInt64, "commitment"), (6, "nullifier")] {
      var changed = proof
      changed.change(number) { $0[0] ^= 1 }
      #expect(throws: ProofCheck.Fault.unbound(field: name)) { try ProofCheck.check(changed.octets) }
    }
    var moved = proof
    moved.change(2) { $0[$0.count - 1] ^= 1 }
    #expect(throws: ProofCheck.Fault.unbound(field: "semanticFields")) { try ProofCheck.check(moved.octets) }
    #expect(throws: ProofCheck.Fault.unbound(field: "sessionBinding")) {
      try ProofCheck.check(proof.octets, sessionNonce: "another")
    }
    #expect(throws: ProofCheck.Fault.unbound(field: "uploadChallenge")) {
      try ProofCheck.check(proof.octets, uploadNonce: [9])
    }
    var doubled = proof
    doubled.add(5, [UInt8](repeating: 0, count: 32))
    #expect(throws: ProofCheck.Fault.duplicate(field: 5)) { try ProofCheck.check(doubled.octets) }
    #expect(throws: ProofCheck.Fault.undecodable) { try ProofCheck.check(Array(proof.octets.dropLast())) }
  }

  @Test("can be made in a wanted size", arguments: ProofPlatform.allCases)
  func sizes(platform: ProofPlatform) throws {
    var maker = ProofMaker(platform: platform)
    maker.uploadNonce = Self.nonce
    let proof = try #require(maker.make(count: 262_144))
    #expect(proof.count == 262_144)
    #expect(try ProofCheck.check(proof, uploadNonce: Self.nonce).stages.contains("uploadChallenge"))
    let envelope = try UploadEnvelope(proof, uploadNonce: Self.nonce).octets
    #expect(envelope.count > 349_526)
    #expect(UploadEnvelope.proof(in: envelope) == proof)
    #expect(maker.make(count: 100) == nil)
  }

  @Test("are wrapped in an envelope of literal octets")
  func envelope() throws {
    let proof = Self.made(.ios)
    let text = String(decoding: try UploadEnvelope(proof, uploadNonce: Self.nonce).octets, as: UTF8.self)
    #expect(
      text.hasPrefix(
        #"{"schema_version":2,"proof_id":"3E6A4D07-A8D9-4C37-B65A-02F93C37E201","proof_bytes_b64":""#))
    #expect(
      text.contains(#""proof_schema":"octet.proof.LocationProof","replay_control":{"upload_nonce":"AQID","#))
    #expect(text.hasSuffix(#","signed_timestamp_ms":1798761600010}}"#))
  }

  @Test("use base64url without padding")
  func base64() {
    for count in 0..<20 {
      let octets = (0..<count).map { UInt8(truncatingIfNeeded: 255 - $0) }
      #expect(Base64URL.decode(Base64URL.encode(octets)) == octets)
    }
    #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
    #expect(Base64URL.decode("+/8") == nil)
    #expect(Base64URL.decode("A") == nil)
  }
}

extension ProtobufMessage {
  /// Changes the bytes of the first field `number`.
  mutating func change(_ number: UInt64, _ body: (inout [UInt8]) -> Void) {
    for index in fields.indices where fields[index].number == number {
      guard case .bytes(var bytes) = fields[index].value else { continue }
      body(&bytes)
      fields[index].value = .bytes(bytes)
      return
    }
  }

  /// Changes stage number `place`, from 0.
  mutating func changeStage(_ place: Int, _ body: (inout ProtobufMessage) -> Void) {
    let index = fields.indices.filter { fields[$0].number == 10 }[place]
    guard case .bytes(let bytes) = fields[index].value, var stage = ProtobufMessage(bytes) else { return }
    body(&stage)
    fields[index].value = .bytes(stage.octets)
  }
}
