import Foundation
import ProofMaker
import ScriptedPeers
import Testing

@Suite("B1: proofs and the verifier's requests")
struct ProofTests {
  /// The vendor's published proofs, when a copy lies beside the package or the main tree of a linked one.
  static var vectors: URL? {
    var folder = URL(filePath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    return ["../shared/octet/vectors", "../../shared/octet/vectors"]
      .map { folder.appending(path: $0).standardizedFileURL }
      .first { FileManager.default.fileExists(atPath: $0.path) }
  }

  /// Uploads with both framings, and compares and checks what arrived.
  private func upload(_ bodies: [[UInt8]], _ check: ([UInt8]) throws -> Void) throws {
    let head = "POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎Authorization: Bearer pup_v1.t⏎"
    let log = try withAnswers { _ in
      .status(201, "Created")
    } _: { gateway, _ in
      let client = try gateway.client()
      for body in bodies {
        let whole = octets(head + "Content-Type: application/json⏎Content-Length: \(body.count)⏎⏎") + body
        expectStatus(try client.exchange(whole), 201)
        let chunks = octets(head + "Transfer-Encoding: chunked⏎⏎") + chunked(body, by: 1000)
        expectStatus(try client.exchange(chunks), 201)
      }
    }
    #expect(log.completeRequests.count == bodies.count * 2)
    for (index, request) in log.requests.enumerated() {
      #expect(Octets.sha256Hex(request.content) == Octets.sha256Hex(bodies[index / 2]))
      try check(request.content)
    }
  }

  @Test("published proofs arrive exact and still hold", arguments: ["0.0.3-alpha", "1.0.0"])
  func golden(_ version: String) throws {
    guard let vectors = Self.vectors else {
      return print("note: no published vectors beside the package, golden proofs are not uploaded")
    }
    var bodies: [[UInt8]] = []
    for platform in ProofPlatform.allCases {
      let file = vectors.appending(path: "golden/\(version)/\(platform.rawValue)-onearth.bin")
      bodies.append(try UploadEnvelope([UInt8](try Data(contentsOf: file)), uploadNonce: nil).octets)
    }
    try upload(bodies) { body in
      let proof = try #require(UploadEnvelope.proof(in: body))
      #expect(try ProofCheck.check(proof).sdkVersion == version)
    }
  }

  @Test("published proofs arrive exact as bare octets too")
  func bareGolden() throws {
    guard let vectors = Self.vectors else {
      return print("note: no published vectors beside the package, golden proofs are not uploaded")
    }
    let files = ["1.0.0/android-onearth.bin", "1.0.0/ios-onearth.bin", "1.0.0/ios-onearth.json"]
    let bodies = try files.map { [UInt8](try Data(contentsOf: vectors.appending(path: "golden/\($0)"))) }
    try upload(bodies) { _ in }
  }

  @Test("our own signed proofs arrive exact and still hold", arguments: ProofPlatform.allCases)
  func signed(_ platform: ProofPlatform) throws {
    var maker = ProofMaker(platform: platform)
    let nonce = Array("server nonce".utf8)
    maker.uploadNonce = nonce
    var bodies = [try UploadEnvelope(maker.make(), uploadNonce: nonce).octets]
    maker.zkProofSize = 200_000
    bodies.append(try UploadEnvelope(maker.make(), uploadNonce: nonce).octets)
    let session = maker.sessionNonce
    try upload(bodies) { body in
      let proof = try #require(UploadEnvelope.proof(in: body))
      let summary = try ProofCheck.check(proof, sessionNonce: session, uploadNonce: nonce)
      #expect(summary.platform == platform)
      #expect(summary.hasDeviceSignature)
      #expect(summary.hasSemanticBinding)
    }
  }

  @Test("C7 a proof of 262 144 raw octets fits, raw and in an envelope")
  func largest() throws {
    let maker = ProofMaker(platform: .ios)
    let proof = try #require(maker.make(count: 262_144))
    let envelope = try UploadEnvelope(proof, uploadNonce: nil).octets
    #expect(envelope.count > 349_526)
    try upload([proof, envelope]) { body in
      _ = try ProofCheck.check(UploadEnvelope.proof(in: body) ?? body)
    }
  }

  static let verifier: [ForwardCase] = [
    (
      "token mint, neither content nor length", "POST", "/v1/proofs/auth",
      "Authorization: Bearer lease⏎User-Agent: ureq/2.12.1⏎Accept: */*⏎⏎"
    ),
    ("token mint, length 0", "POST", "/v1/proofs/auth", "Authorization: Bearer lease⏎Content-Length: 0⏎⏎"),
    (
      "T87 range", "GET",
      "/v1/proofs?limit=100&since=2026-01-01T00%3A00%3A00Z&until=2026-01-02T00%3A00%3A00%2B00%3A00",
      "Authorization: Bearer pup_v1.t⏎⏎"
    ),
    (
      "range, next page", "GET", "/v1/proofs?limit=100&since=2026-01-01T00%3A00%3A00Z&cursor=a%2Bb%2Fc%3D%3D",
      "Authorization: Bearer pup_v1.t⏎⏎"
    ),
    ("latest", "GET", "/v1/proofs/latest", "Authorization: Bearer pup_v1.t⏎⏎"),
    ("T87 raw colons in an id", "GET", "/v1/proofs/lp_01J:A.b-C:", "Authorization: Bearer pup_v1.t⏎⏎"),
    (
      "integrity/decode", "POST", "/v1/integrity/decode",
      "Authorization: Bearer octet_svc_s⏎Content-Type: application/json⏎Content-Length: 42⏎⏎"
        + #"{"integrity_token":"t","package_name":"p"}"#
    ),
  ].map {
    ForwardCase(
      $0.0, "\($0.1) /octet\($0.2) HTTP/1.1⏎Host: gw.test⏎\($0.3)",
      upstream: "\($0.1) \($0.2) HTTP/1.1⏎Host: api.octetproof.com⏎\($0.3)")
  }

  @Test("what the verifier asks for arrives as it is", arguments: verifier)
  func verifierRequest(_ row: ForwardCase) throws { try row.check() }
}
