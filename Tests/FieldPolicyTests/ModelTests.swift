import FieldPolicy
import HTTPMessage
import Testing

/// A second opinion on rules F1 to F5, R4 and X1: strings, dictionaries and no thought of speed.
enum Model {
  static let hopByHop: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "proxy-authorization", "trailer", "upgrade",
    "http2-settings", "te",
  ]
  static let protected: Set<String> = ["host", "authorization", "content-length", "content-type"]

  static func name(_ line: String) -> String {
    String(line.prefix { $0 != ":" }).lowercased()
  }

  static func elements(_ lines: [String], _ wanted: String) -> [String] {
    lines.filter { name($0) == wanted }.flatMap { line in
      line.drop { $0 != ":" }.dropFirst().split(separator: ",").map {
        $0.lowercased().trimming { $0 == " " || $0 == "\t" }
      }
    }.filter { !$0.isEmpty }
  }

  static func isOctetFamily(_ name: String) -> Bool {
    name.hasPrefix("x-octet") || name.hasPrefix("x_octet")
  }

  /// - Returns: nil where the request is refused.
  static func request(_ lines: [String], isThirdParty: Bool) -> [String]? {
    let nominated = Set(elements(lines, "connection"))
    for name in nominated
    where protected.contains(name) || name.hasPrefix("content-") || isOctetFamily(name) { return nil }
    let acceptsTrailers = elements(lines, "te").contains("trailers")
    var kept: [String] = []
    var hasTE = false
    for line in lines {
      let name = name(line)
      if name == "host" {
        kept.append(line.prefix(4) + ": api.octetproof.com")
      } else if name == "te" {
        if acceptsTrailers, !hasTE { kept.append(line.prefix(2) + ": trailers") }
        hasTE = true
      } else if !hopByHop.contains(name), name == "transfer-encoding" || !nominated.contains(name) {
        let isSecret = ["authorization", "cookie", "cookie2"].contains(name) || isOctetFamily(name)
        if !(isThirdParty && isSecret) { kept.append(line) }
      }
    }
    return kept
  }

  static func response(_ lines: [String], isThirdParty: Bool) -> [String] {
    let nominated = Set(elements(lines, "connection"))
    let spared: Set<String> = ["content-length", "content-type", "date", "host"]
    return lines.filter { line in
      let name = name(line)
      if hopByHop.contains(name) || name == "alt-svc" || name == "transfer-encoding" { return false }
      if isThirdParty, name.hasPrefix("set-cookie") { return false }
      return spared.contains(name) || !nominated.contains(name)
    }
  }
}

extension StringProtocol {
  fileprivate func trimming(_ isCut: (Character) -> Bool) -> String {
    String(drop(while: isCut).reversed().drop(while: isCut).reversed())
  }
}

@Suite("Random heads against a naive model (rules F1 to F5, R4 and X1)")
struct ModelTests {
  static let names = [
    "X-A", "x-b", "X-C", "Connection", "Keep-Alive", "Cookie", "Authorization", "TE", "Trailer", "Upgrade",
    "X-Octet-Key",
    "x_octet.v", "Accept", "Content-Type", "Content-Encoding", "Expect", "Date", "Location", "Set-Cookie",
    "Alt-Svc",
    "Proxy-Authorization", "Proxy-Connection", "HTTP2-Settings", "Via", "X!", "Cookie2",
  ]
  static let values = [
    "", " ", "a", "x-a", "X-B, close", ",, x-c ,\t", "trailers", "gzip, Trailers", "cookie", "Host",
    "keep-alive", "accept,x-a",
    "a  b\t", "\u{E9}\u{7F}", "TE, transfer-encoding", "content-type", "set-cookie, alt-svc", "authorization",
    ":,;\"",
  ]

  private func randomLines(_ generator: inout SplitMix) -> [String] {
    (0..<generator.next(below: 9)).map { _ in
      let name = Self.names[generator.next(below: Self.names.count)]
      let value = Self.values[generator.next(below: Self.values.count)]
      let cased = [name, name.lowercased(), name.uppercased()][generator.next(below: 3)]
      return cased + ":" + ["", " ", "\t "][generator.next(below: 3)] + value
    }
  }

  @Test("forwards what the model forwards, octet for octet and in order", arguments: 0..<8)
  func requests(seed: Int) throws {
    var generator = SplitMix(state: UInt64(seed))
    for _ in 0..<1500 {
      var lines = randomLines(&generator)
      lines.insert("Host: gw.test", at: generator.next(below: lines.count + 1))
      if generator.next(below: 4) == 0 { lines.append("Content-Length: 0") }
      let isThirdParty = generator.next(below: 2) == 0
      let head = try requestHead(lines)
      let isRefused = (try? RequestFieldPolicy().examine(head)) == nil
      guard let expected = Model.request(lines, isThirdParty: isThirdParty) else {
        #expect(isRefused, "\(lines)")
        continue
      }
      #expect(!isRefused, "\(lines)")
      #expect(try forwarded(head, isThirdParty: isThirdParty).dropFirst() == expected[...], "\(lines)")
    }
  }

  @Test("relays what the model relays, octet for octet and in order", arguments: 0..<8)
  func responses(seed: Int) throws {
    var generator = SplitMix(state: UInt64(seed) << 32)
    for _ in 0..<1500 {
      let lines = randomLines(&generator) + ["Content-Length: 0"]
      let isThirdParty = generator.next(below: 2) == 0
      let expected = Model.response(lines, isThirdParty: isThirdParty)
      var relayed = try relayed(responseHead(lines), isThirdParty: isThirdParty)[1...]
      if !expected.contains(where: { Model.name($0) == "date" }) { #expect(relayed.popLast() == "Date: NOW") }
      #expect(relayed == expected[...], "\(lines)")
    }
  }
}

/// Numbers that are the same in every run. Steele, Lea and Flood, "Fast splittable pseudorandom number generators".
struct SplitMix {
  var state: UInt64

  mutating func next(below bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
  }
}
