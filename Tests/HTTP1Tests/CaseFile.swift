import ByteFeeder
import Foundation
import HTTP1
import HTTPMessage
import ScriptedPeers
import Testing

/// A case of a case file: a heading, what it is about, raw octets in a fence, and in a second fence the events.
///
/// The first fence's info string is `request`, `response` or `chunks`, then options: `octets=` and `fields=` (limits),
/// `to=HEAD`, `end=clean` or `end=cut`. Line ends of the file itself are not part of the message; `⏎` is CRLF.
struct Case: Sendable, CustomTestStringConvertible {
  var file: String
  var title: String
  var kind: String
  var options: [String: String]
  var octets: [UInt8]
  /// Empty in a case that was never recorded.
  var expected: String

  var testDescription: String { "\(file): \(title)" }

  var limits: SectionLimits {
    SectionLimits(
      octets: options["octets"].flatMap { Int($0) } ?? 8192,
      fields: options["fields"].flatMap { Int($0) } ?? 100)
  }

  /// The events however the octets are cut; an issue is recorded where the cuts matter.
  func events() -> [FedEvent] {
    func disagreed(_ what: String) { Issue.record("\(testDescription): \(what)") }
    switch kind {
    case "request":
      return ByteFeeder.feed(octets, make: { RequestFeed(limits: limits) }, disagreed: disagreed)
    case "chunks":
      return ByteFeeder.feed(octets, make: { ChunkFeed(limits: limits) }, disagreed: disagreed)
    default:
      let ending = options["end"].flatMap { ConnectionEnd(rawValue: $0) } ?? .open
      let feed = ResponseFeed(limits: limits, answersHead: options["to"] == "HEAD", ending: ending)
      return ByteFeeder.feed(octets, make: { feed }, disagreed: disagreed)
    }
  }
}

/// The documents in `Tests/Cases/http1`.
enum CaseFiles {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  static let folder = root.appending(path: "Tests/Cases/http1")
  private static let fence = "```"

  static func all() throws -> [Case] {
    try names().flatMap { try read($0).cases }
  }

  static func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".md") }.sorted()
  }

  /// - Returns: the cases, and the document's lines with the events of new cases filled in.
  static func read(_ name: String) throws -> (cases: [Case], recorded: String) {
    let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    var cases: [Case] = []
    var recorded: [String] = []
    var title = ""
    var lines = text.components(separatedBy: "\n")[...]
    while let line = lines.popFirst() {
      recorded.append(line)
      if line.hasPrefix("## ") { title = String(line.dropFirst(3)) }
      guard line.hasPrefix(fence) else { continue }
      let words = line.dropFirst(3).split(separator: " ").map(String.init)
      let raw = body(&lines)
      recorded += raw + [fence]
      if words.first == "events" {
        cases[cases.count - 1].expected = raw.joined(separator: "\n")
        continue
      }
      var options: [String: String] = [:]
      for word in words.dropFirst() {
        let parts = word.split(separator: "=").map(String.init)
        options[parts[0]] = parts[1]
      }
      cases.append(
        Case(
          file: name, title: title, kind: words.first ?? "", options: options,
          octets: octets(raw.joined()), expected: ""))
      if !lines.prefix(2).contains("\(fence)events"), let new = cases.last {
        recorded += ["", "\(fence)events"] + EventText.lines(new.events()) + [fence]
      }
    }
    return (cases, recorded.joined(separator: "\n"))
  }

  private static func body(_ lines: inout ArraySlice<String>) -> [String] {
    var body: [String] = []
    while let line = lines.popFirst(), line != fence { body.append(line) }
    return body
  }
}
