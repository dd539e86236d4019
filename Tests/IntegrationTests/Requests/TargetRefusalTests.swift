import GatewayConfig
import ScriptedPeers
import Testing

@Suite("T3 and T4: targets that are refused")
struct TargetRefusalTests {
  static let unsafe: [RefusalCase] =
    (0x01...0x1F).filter { $0 != 0x0A }.map {
      .target("T3 octet \($0) in the path", "/octet/v1/a\\x\(hex($0))b")
    } + [
      .target("P15 a space in the path", "/octet/v1/a b"),
      .target("P15 a space in the query", "/octet/v1/a?b c"),
      .target("P15 a space before the version", "/octet/v1/a "),
      .target("P15 a bare CR", "/octet/v1/a␍b"),
      .target("T3 NUL in the query", "/octet/v1/a?b␀"),
      .target("T3 a tab in the query", "/octet/v1/a?b⇥c"),
      .target("T3 DEL", #"/octet/v1/a\x7Fb"#),
      .target("T3 a fragment", "/octet/v1/a#b"),
      .target("T3 a fragment behind the query", "/octet/v1/a?b#"),
      .target("P18 a backslash", #"/octet/v1/\x5Cevil.test/x"#),
      .target("T3 a backslash in a name", #"/octet/v1/a\x5Cb"#),
      .target("T3 %00", "/octet/v1/a%00b"),
      .target("T3 %00 at the end", "/octet/v1/a%00"),
      .target("P08 dot segments", "/octet/v1/./flags/../flags"),
      .target("P08 one dot", "/octet/v1/./flags"),
      .target("P08 a dot at the end", "/octet/v1/flags/."),
      .target("P08 two dots at the end", "/octet/v1/flags/.."),
      .target("P08 two dots before the query", "/octet/v1/..?x"),
      .target("T44 out of the route", "/octet/ext/geo/../../v1/proofs"),
      .target("T04 escaped dots", "/octet/v1/%2e%2e/ext/geo/reverse"),
      .target("T04 escaped dots, upper case", "/octet/v1/%2E%2E/x"),
      .target("T04 half escaped", "/octet/v1/.%2e/x"),
      .target("T04 half escaped, the other", "/octet/v1/%2e./x"),
      .target("T04 one escaped dot", "/octet/v1/%2E"),
      .target("T3 behind an escaped slash", "/octet/v1/a%2F..%2Fb"),
      .target("T3 behind an escaped slash, lower case", "/octet/v1/a%2f%2e%2e"),
      .target("T3 between escaped backslashes", "/octet/v1/a%5C..%5cb"),
      .target("T3 dots before the route's end", "/octet/../octet/v1/flags"),
      .target("T3 dots without a route", "/elsewhere/.."),
    ]

  private static func hex(_ octet: Int) -> String { (octet < 16 ? "0" : "") + String(octet, radix: 16) }

  @Test("T3 are refused before the upstream hears of them", .tags(.report), arguments: unsafe)
  func isUnsafe(_ row: RefusalCase) throws { try row.check() }

  static let forms: [RefusalCase] = [
    .target("P17 absolute-form without server_names", "http://169.254.169.254/octet/v1/flags", "T4"),
    .target("T4 absolute-form of our own name without server_names", "https://gw.test/octet/v1/flags", "T4"),
    .target("T4 asterisk-form", "*", "T4"),
    .target("T4 authority-form", "gw.test:443", "T4"),
    .target("T4 a name", "octet/v1/flags", "T4"),
    .target("T4 another scheme", "ftp://gw.test/octet/v1/flags", "T4"),
    .target("T4 no authority", "http:///octet/v1/flags", "T4"),
    .target("T4 a query first", "?/octet/v1/flags", "T4"),
    RefusalCase("T4 OPTIONS *", "OPTIONS * HTTP/1.1⏎Host: gw.test⏎⏎", 400, "T4"),
    RefusalCase(
      "T4 CONNECT", "CONNECT api.octetproof.com:443 HTTP/1.1⏎Host: api.octetproof.com⏎⏎", 405, "T4"),
    RefusalCase("T4 CONNECT with a path", "CONNECT /octet/v1/flags HTTP/1.1⏎Host: gw.test⏎⏎", 405, "T4"),
    RefusalCase(
      "T4 TRACE", "TRACE /octet/v1/flags HTTP/1.1⏎Host: gw.test⏎⏎", 405, "T4", keepsConnection: true),
  ]

  @Test("T4 other forms, CONNECT and TRACE are refused", .tags(.report), arguments: forms)
  func otherForms(_ row: RefusalCase) throws { try row.check() }

  static let misdirected: [RefusalCase] = [
    ("P17 an address", "http://169.254.169.254/octet/v1/flags", "gw.test"),
    ("T4 another name", "https://evil.test/octet/v1/flags", "gw.test"),
    ("T4 the upstream's name", "https://api.octetproof.com/octet/v1/flags", "gw.test"),
    ("T4 a name that starts with ours", "http://gw.test.evil.test/octet/v1/flags", "gw.test"),
    ("T4 another Host", "/octet/v1/flags", "evil.test"),
    ("T4 another Host behind our target", "https://gw.test/octet/v1/flags", "evil.test"),
    ("T4 another port of a name with a port", "/octet/v1/flags", "ported.test:81"),
  ].map {
    RefusalCase("\($0.0)", "GET \($0.1) HTTP/1.1⏎Host: \($0.2)⏎⏎", 421, "T4", keepsConnection: false)
  }

  @Test(
    "T4 a name that is not served is answered 421, and never dialled", .tags(.report), arguments: misdirected)
  func isMisdirected(_ row: RefusalCase) throws {
    // The request behind names `gw.test`, which is served, so the connection may go on.
    var row = row
    row.keepsConnection = true
    try row.check { $0.serverNames = ["gw.test", "ported.test:80"] }
  }

  @Test(
    "T4 user information is refused in any place",
    arguments: [
      ("https://api.octetproof.com@gw.test/octet/v1/flags", "gw.test", "T4"),
      ("https://gw.test@evil.test/octet/v1/flags", "gw.test", "T4"), ("/octet/v1/flags", "a@gw.test", "F6"),
    ])
  func userInformation(_ target: String, _ host: String, _ rule: String) throws {
    try RefusalCase(target, "GET \(target) HTTP/1.1⏎Host: \(host)⏎⏎", 400, rule).check {
      $0.serverNames = ["gw.test"]
    }
  }

  static let served: [ForwardCase] = [
    ("absolute-form", "https://gw.test/octet/v1/a%2Fb?x=1", "gw.test"),
    ("absolute-form, other case and a port", "HTTP://GW.test:8443/octet/v1/a%2Fb?x=1", "gw.test"),
    ("Host in other case with a port", "/octet/v1/a%2Fb?x=1", "GW.TEST:443"),
    ("target and Host differ and both are served", "http://gw.test/octet/v1/a%2Fb?x=1", "other.test"),
  ].map {
    ForwardCase(
      $0.0, "GET \($0.1) HTTP/1.1⏎Host: \($0.2)⏎⏎",
      upstream: "GET /v1/a%2Fb?x=1 HTTP/1.1⏎Host: api.octetproof.com⏎⏎")
  }

  @Test("T4 the upstream is the route's, whatever served name is used", arguments: served)
  func isServed(_ row: ForwardCase) throws {
    try row.check { $0.serverNames = ["gw.test", "other.test"] }
  }
}
