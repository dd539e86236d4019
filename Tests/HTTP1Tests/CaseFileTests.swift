import ByteFeeder
import Foundation
import HTTP1
import Testing

@Suite("Case files: messages and their events (RFC 9112)")
struct CaseFileTests {
  @Test("gives the events of the document, however the octets are cut", arguments: try CaseFiles.all())
  func givesEvents(of example: Case) throws {
    let lines = EventText.lines(example.events()).joined(separator: "\n")
    #expect(lines == example.expected)
  }

  @Test("records the events of a new case, and fails once", arguments: try CaseFiles.names())
  func records(name: String) throws {
    let (cases, recorded) = try CaseFiles.read(name)
    let new = cases.filter(\.expected.isEmpty)
    guard !new.isEmpty else { return }
    try recorded.write(to: CaseFiles.folder.appending(path: name), atomically: true, encoding: .utf8)
    Issue.record("recorded \(new.map(\.title)): look at them, and run again")
  }

  @Test("has a case for every reason of ParseError but the extension limit")
  func coversReasons() throws {
    let seen = try CaseFiles.all().flatMap { $0.events() }.compactMap { event -> ParseError.Reason? in
      if case .failed(let reason) = event { return reason }
      return nil
    }
    for reason in ParseError.Reason.allCases where reason != .chunkExtensionTooLong {
      #expect(seen.contains(reason), "no case gives \(reason)")
    }
    #expect(try CaseFiles.all().count >= 200)
  }

  /// Run with `WRITE_FUZZ_SEEDS=1` after new cases: the fuzzers start from the messages of the case files.
  @Test(
    "writes the fuzzers' seeds",
    .enabled(if: ProcessInfo.processInfo.environment["WRITE_FUZZ_SEEDS"] != nil))
  func writesSeeds() throws {
    for (index, example) in try CaseFiles.all().enumerated() {
      let folder = CaseFiles.root.appending(path: "Fuzz/Corpus/\(example.kind)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      // The first octet chooses the cuts, the answered method and the connection's end.
      let choice: UInt8 = example.options["to"] == "HEAD" ? 1 : example.options["end"] == "clean" ? 2 : 0
      try Data([choice] + example.octets).write(to: folder.appending(path: "case-\(index)"))
    }
  }
}
