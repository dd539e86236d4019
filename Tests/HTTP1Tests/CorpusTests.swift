import ByteFeeder
import Foundation
import HTTP1
import Testing

@Suite("The fuzzers' inputs, run again")
struct CorpusTests {
  @Test(
    "gives equal events however the octets are cut",
    arguments: ["Corpus/request", "Corpus/response", "Corpus/chunks", "Corpus/forward", "FailCases"])
  func equalEvents(folder: String) throws {
    let url = CaseFiles.root.appending(path: "Fuzz/\(folder)")
    let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
    #expect(folder == "FailCases" || names.count >= 10)
    let limits = SectionLimits(octets: 4096, fields: 100)
    for name in names where !name.hasPrefix(".") {
      let octets = Array(try Data(contentsOf: url.appending(path: name)).dropFirst())
      check(name, octets) { RequestFeed(limits: limits) }
      check(name, octets) { ChunkFeed(limits: limits) }
      for answersHead in [false, true] {
        check(name, octets) { ResponseFeed(limits: limits, answersHead: answersHead, ending: .clean) }
      }
    }
  }

  private func check(_ name: String, _ octets: [UInt8], make: () -> some Feedable) {
    let whole = ByteFeeder.run(octets, cuts: [], make())
    for cuts in [Array(0..<octets.count), Array(stride(from: 3, to: octets.count, by: 7))] {
      #expect(ByteFeeder.run(octets, cuts: cuts, make()) == whole, "\(name)")
    }
  }
}
