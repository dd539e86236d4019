import Foundation
import ProofMaker
import Testing

/// The vendor's published proofs, when a copy lies beside the package (`../shared/octet/vectors`).
@Suite("Published vectors")
struct PublishedVectorTests {
  static var found: URL? {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    // Beside the package, or a folder further up when the package is a linked working tree.
    let candidates = ["../shared/octet/vectors", "../../shared/octet/vectors"].map {
      root.appending(path: $0).standardizedFileURL
    }
    return candidates.first { FileManager.default.fileExists(atPath: $0.path) }
  }

  @Test("of released SDKs hold")
  func golden() throws {
    guard let found = Self.found else {
      return print("note: no published vectors beside the package, not checked")
    }
    for version in ["0.0.3-alpha", "1.0.0"] {
      for platform in ProofPlatform.allCases {
        let file = found.appending(path: "golden/\(version)/\(platform.rawValue)-onearth.bin")
        let octets = [UInt8](try Data(contentsOf: file))
        let summary = try ProofCheck.check(octets)
        #expect(summary.sdkVersion == version)
        #expect(summary.stages.count == 8)
        #expect(!summary.hasSemanticBinding)
        #expect(ProtobufMessage(octets)?.octets == octets)
      }
    }
  }

  @Test("with session and semantic binding hold, and fix the same layouts")
  func sessionBound() throws {
    guard let found = Self.found else {
      return print("note: no published vectors beside the package, not checked")
    }
    struct Fixtures: Decodable {
      struct Proof: Decodable {
        let text: String
        enum CodingKeys: String, CodingKey { case text = "proof_bytes_b64" }
      }
      let nonce: String
      let inside: Proof
      let outside: Proof
      enum CodingKeys: String, CodingKey {
        case nonce = "nonce_b64url"
        case inside, outside
      }
    }
    let data = try Data(contentsOf: found.appending(path: "session-binding-e2e/fixtures.json"))
    let fixtures = try JSONDecoder().decode(Fixtures.self, from: data)
    for proof in [fixtures.inside, fixtures.outside] {
      let octets = try #require(Base64URL.decode(proof.text))
      let summary = try ProofCheck.check(octets, sessionNonce: fixtures.nonce)
      #expect(summary.hasSemanticBinding)
      #expect(summary.hasDeviceSignature)
      #expect(summary.stages == (try ProofCheck.check(ProofMaker(platform: .android).make()).stages))
    }
  }
}
