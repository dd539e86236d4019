import ConfigReader
import Foundation
import GatewayConfig
import Testing

/// xorshift, so that a failure comes back with its seed.
private struct FixedRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}

@Suite("Files that no operator meant")
struct RobustnessTests {
  private static let example = Array(ExampleFile.text().utf8)

  /// A result is a configuration, or at least one error with a text and a line within the file.
  private func check(_ octets: [UInt8], _ what: Comment) {
    let result = ConfigReader.load(octets: octets, file: "f") { _ in nil }
    guard case .failure(let errors) = result else { return }
    let lines = octets.count { $0 == UInt8(ascii: "\n") } + 1
    #expect(errors.diagnostics.contains { $0.severity == .error }, what)
    #expect(errors.diagnostics.allSatisfy { (1...lines).contains($0.line ?? 0) && !$0.problem.isEmpty }, what)
  }

  @Test("are answered when cut at any octet") func truncation() {
    let source = Array(
      """
      prefix = "/${A:-octet}" # c
      listen "127.0.0.1:1" { certificate = 'a' certificate_key = b } /* x */
      server_names = {"a.example", b.example}
      route "/v1/" { upstream = "https://h/" redirect_hosts = {"x.example"} third_party = on }
      workers = 3
      """.utf8)
    for length in 0...source.count { check(Array(source.prefix(length)), "cut at \(length)") }
  }

  /// 1 cuts the example at every octet. The sanitizers' runs set more, as each cut is parsed from the start.
  private static let cutStride =
    ProcessInfo.processInfo.environment["OCTET_CUT_STRIDE"].flatMap(Int.init) ?? 1

  @Test("are answered when the example is cut at any octet") func exampleTruncation() {
    for length in stride(from: 0, through: Self.example.count, by: max(1, Self.cutStride)) {
      check(Array(Self.example.prefix(length)), "cut at \(length)")
    }
  }

  @Test("are answered when octets are changed, lost or doubled", arguments: [UInt64(1), 2, 3, 4])
  func mutation(seed: UInt64) throws {
    var random = FixedRandom(state: seed &* 0x9E37_79B9_7F4A_7C15)
    let sources = [Self.example] + (try ConftestFile.all().map { Array($0.input.utf8) })
    let pieces = [
      "\"", "'", "{", "}", "=", "${", "\\", "\n", "/*", "|", "+=", "\0", "\u{1}", "=\u{4}", "listen", "*",
    ]
    for round in 0..<1500 {
      var octets = sources[Int.random(in: 0..<sources.count, using: &random)]
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let place = Int.random(in: 0...octets.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where place < octets.count: octets[place] = UInt8.random(in: 0...255, using: &random)
        case 1 where place < octets.count: octets.remove(at: place)
        case 2: octets.insert(contentsOf: octets[place...].prefix(40), at: place)
        default:
          let piece = pieces[Int.random(in: 0..<pieces.count, using: &random)]
          octets.insert(contentsOf: piece.utf8, at: place)
        }
      }
      check(octets, "seed \(seed), round \(round)")
    }
  }

  /// The runner's log shows the problem; the inputs have up to ten million octets.
  struct Refusal: Sendable, CustomTestStringConvertible {
    let input: String
    let problem: String
    var testDescription: String { problem }

    init(_ input: String, _ problem: String) {
      self.input = input
      self.problem = problem
    }
  }

  @Test(
    "are refused in words",
    arguments: [
      Refusal("prefix = \"/a\0b\"", "a NUL octet cannot stand in a string"),
      Refusal("\0", "a NUL octet cannot stand here"),
      Refusal(String(repeating: "a", count: 10_000_000), "the file is over 1MiB"),
      Refusal("x = " + String(repeating: "a", count: 1_000_000), "`x` is not a directive"),
      Refusal(String(repeating: "a {", count: 100_000), "braces are nested too deeply"),
      Refusal(String(repeating: "}", count: 1000), "this } closes nothing"),
      Refusal("\u{FEFF}via = on", "the file starts with a byte order mark"),
    ])
  func refusals(_ refusal: Refusal) {
    guard case .failure(let errors) = ConfigReader.load(text: refusal.input, file: "f") else {
      Issue.record("was accepted")
      return
    }
    #expect(errors.diagnostics.contains { $0.problem == refusal.problem })
  }

  @Test("that are not UTF-8 are refused by line") func notUTF8() {
    let result = ConfigReader.load(octets: Array("via = on\n".utf8) + [0xC3, 0x28, 0x0A], file: "f")
    guard case .failure(let errors) = result else {
      Issue.record("was accepted")
      return
    }
    #expect(errors.description == "f:2: error: the line is not UTF-8; save the file as UTF-8")
  }

  @Test("leave nothing behind for the next file") func noStateIsKept() {
    let good = "listen \"127.0.0.1:1\" { }\nroute \"/\" { upstream = \"https://h/\" }\n"
    let expected = rendered(ConfigReader.load(text: good, file: "f"))
    for bad in ["prefix = \"", "prefix = '", "/* ", "listen \"", "a = {", "listen { x", "x = \"a\nb"] {
      _ = ConfigReader.load(text: bad, file: "g")
      #expect(rendered(ConfigReader.load(text: good, file: "f")) == expected)
    }
  }

  @Test("may be read by several threads at once") func concurrency() async {
    let good = "listen \"127.0.0.1:1\" { }\nroute \"/\" { upstream = \"https://h/\" }\n"
    let expected = rendered(ConfigReader.load(text: good, file: "f"))
    await withTaskGroup(of: String.self) { group in
      for _ in 0..<50 { group.addTask { rendered(ConfigReader.load(text: good, file: "f")) } }
      for await output in group { #expect(output == expected) }
    }
  }
}
