import GatewayConfig
import ScriptedPeers
import Testing

@Suite("F6: heads that are refused")
struct HeadRefusalTests {
  static let lines: [RefusalCase] = [
    .post("H07 obs-fold", "X-Octet-A: one⏎␠two⏎"),
    .post("H07 obs-fold with a tab", "X-Octet-A: one⏎⇥two⏎"),
    .post("H12 an empty name", ": x⏎"),
    .post("H12 NUL in a value", "X-Octet-A: a␀b⏎"),
    .post("H12 a bare CR in a value", "X-Octet-A: a␍b⏎"),
    .post("H12 a bare CR before the line's end", "X-Octet-A: a␍⏎"),
    .post("H12 a bare LF in a value", "X-Octet-A: a␊b⏎"),
    .post("H12 a control octet in a value", #"X-Octet-A: a\x1Bb⏎"#),
    .post("F6 NUL in a name", "X-␀: a⏎"),
    .post("F6 a bare CR in a name", "X-␍A: a⏎"),
    .post("F6 no colon", "X-Octet-A⏎"),
    .post("F6 a space in a name", "X Octet: a⏎"),
    .post("F6 a separator in a name", "X(A): a⏎"),
    .post("F6 an octet above 0x7F in a name", #"X-\xC3\xA9: a⏎"#),
    .post("X05 a space before the colon", "Content-Length : 5⏎"),
    .post("X05 a tab before the colon", "X-Octet-A⇥: 1⏎"),
    .post("X05 a space before the colon of Transfer-Encoding", "Transfer-Encoding : chunked⏎", "0⏎⏎"),
    .post("X08 one LF among CRLF lines", "X-Octet-A: 1␊X-Octet-B: 2⏎"),
    .post("X09 two Host lines, the same", "Host: gw.test⏎"),
    .post("X09 two Host lines, different", "hOST: evil.test⏎"),
  ]

  @Test("a bad line", .tags(.report), arguments: lines)
  func badLine(_ row: RefusalCase) throws { try row.check() }

  @Test("X05 the first field line starts with white space", arguments: ["␠", "⇥"])
  func firstLineFolded(_ space: String) throws {
    try RefusalCase(
      "first", "GET /octet/v1/flags HTTP/1.1⏎\(space)X-A: 1⏎Host: gw.test⏎⏎", 400, "F6"
    ).check()
  }

  static let starts: [RefusalCase] = [
    ("X08 LF alone ends every line", "GET /octet/v1/flags HTTP/1.1␊Host: gw.test␊X-Octet-A: 1␊␊"),
    ("X08 LF alone ends the request line", "GET /octet/v1/flags HTTP/1.1␊Host: gw.test⏎⏎"),
    ("X08 LF alone ends the head", "GET /octet/v1/flags HTTP/1.1⏎Host: gw.test⏎␊"),
    ("F6 a bare CR in the request line", "GET /octet/v1/flags HTTP/1.1␍⏎Host: gw.test⏎⏎"),
    ("F6 no version", "GET /octet/v1/flags⏎Host: gw.test⏎⏎"),
    ("F6 HTTP/0.9", "GET /octet/v1/flags HTTP/0.9⏎Host: gw.test⏎⏎"),
    ("F6 HTTP/1.2", "GET /octet/v1/flags HTTP/1.2⏎Host: gw.test⏎⏎"),
    ("F6 HTTP/2.0", "GET /octet/v1/flags HTTP/2.0⏎Host: gw.test⏎⏎"),
    ("F6 the preface of HTTP/2", "PRI * HTTP/2.0⏎⏎SM⏎⏎"),
    ("F6 http/1.1", "GET /octet/v1/flags http/1.1⏎Host: gw.test⏎⏎"),
    ("F6 HTTP/1.10", "GET /octet/v1/flags HTTP/1.10⏎Host: gw.test⏎⏎"),
    ("F6 HTTP/01.1", "GET /octet/v1/flags HTTP/01.1⏎Host: gw.test⏎⏎"),
    ("F6 HTTP/1.", "GET /octet/v1/flags HTTP/1.⏎Host: gw.test⏎⏎"),
    ("F6 two spaces before the version", "GET /octet/v1/flags  HTTP/1.1⏎Host: gw.test⏎⏎"),
    ("F6 two spaces before the target", "GET  /octet/v1/flags HTTP/1.1⏎Host: gw.test⏎⏎"),
    ("F6 a tab before the target", "GET⇥/octet/v1/flags HTTP/1.1⏎Host: gw.test⏎⏎"),
    ("F6 a space behind the version", "GET /octet/v1/flags HTTP/1.1 ⏎Host: gw.test⏎⏎"),
    ("F6 a space before the method", " GET /octet/v1/flags HTTP/1.1⏎Host: gw.test⏎⏎"),
    ("F6 no target", "GET  HTTP/1.1⏎Host: gw.test⏎⏎"),
    ("F6 a method that is no token", "G(T /octet/v1/flags HTTP/1.1⏎Host: gw.test⏎⏎"),
    ("F6 no method", "/octet/v1/flags HTTP/1.1⏎Host: gw.test⏎⏎"),
    ("X09 no Host", "GET /octet/v1/flags HTTP/1.1⏎X-A: 1⏎⏎"),
    ("X09 no Host, HTTP/1.0", "GET /octet/v1/flags HTTP/1.0⏎⏎"),
    ("X09 a list in Host", "GET /octet/v1/flags HTTP/1.1⏎Host: gw.test, x⏎⏎"),
    ("X09 user information in Host", "GET /octet/v1/flags HTTP/1.1⏎Host: a@gw.test⏎⏎"),
    ("X09 an empty Host", "GET /octet/v1/flags HTTP/1.1⏎Host:⏎⏎"),
    ("X09 a path in Host", "GET /octet/v1/flags HTTP/1.1⏎Host: gw.test/x⏎⏎"),
    ("X09 a bad port in Host", "GET /octet/v1/flags HTTP/1.1⏎Host: gw.test:65536⏎⏎"),
    ("X09 a port that is no number", "GET /octet/v1/flags HTTP/1.1⏎Host: gw.test:8o⏎⏎"),
    ("F6 noise", "\\x16\\x03\\x01⏎⏎"),
  ].map { RefusalCase($0.0, $0.1, 400, $0.0.contains("two spaces") ? "T3" : "F6") }

  @Test("a bad request line or Host", .tags(.report), arguments: starts)
  func badStart(_ row: RefusalCase) throws { try row.check() }

  @Test("F6 one empty line before a request is skipped, as RFC 9112 section 2.2 asks; two are refused")
  func emptyLineFirst() throws {
    try ForwardCase(
      "one", "⏎GET /octet/v1/flags HTTP/1.1⏎Host: gw.test⏎⏎",
      upstream: "GET /v1/flags HTTP/1.1⏎Host: api.octetproof.com⏎⏎"
    ).check()
    try RefusalCase("two", "⏎⏎GET /octet/v1/flags HTTP/1.1⏎Host: gw.test⏎⏎", 400, "F6").check()
  }

  @Test(
    "Z01 G1 every method's refused head is answered, cut anywhere",
    arguments: ["GET", "POST", "HEAD", "PATCH"])
  func methodOfRefusedHead(_ method: String) throws {
    let head = octets("\(method) /octet/v1/flags HTTP/1.1⏎Host: gw.test⏎X A: 1⏎⏎")
    try withGateway { gateway, _ in
      for cut in [1, 3, 20, head.count - 5] {
        let client = try gateway.client()
        try client.send(head, cutAt: [cut])
        let response = client.readResponse(to: method)
        #expect(response.status == 400)
        let rest = try client.readAll()
        #expect(rest.octets.isEmpty, "HEAD is answered without content")
      }
    }
  }

  @Test("Z01 one long value arrives whole", arguments: [4_000, 8_100, 16_300, 65_000])
  func longValue(_ count: Int) throws {
    try ForwardCase.fields("\(count)", "X-Octet-A: \(String(repeating: "v", count: count))⏎").check()
  }

  @Test("Z01 T13 a bearer of 16 KiB arrives whole")
  func longBearer() throws {
    try ForwardCase.fields("bearer", "Authorization: Bearer \(String(repeating: "t", count: 16_384))⏎")
      .check()
  }

  @Test("Z01 101 and 199 fields besides Host arrive", arguments: [101, 199])
  func manyFields(_ count: Int) throws {
    try ForwardCase.fields("\(count)", (0..<count).map { "X-\($0): \($0)⏎" }.joined()).check()
  }

  static let large: [RefusalCase] = [
    (
      "a value",
      "GET /octet/v1/a HTTP/1.1⏎Host: gw.test⏎X-Octet-A: \(String(repeating: "v", count: 65_536))⏎⏎"
    ),
    ("a target", "GET /octet/v1/\(String(repeating: "v", count: 65_536)) HTTP/1.1⏎Host: gw.test⏎⏎"),
    ("a method", "\(String(repeating: "M", count: 65_537)) /octet/v1/a HTTP/1.1⏎Host: gw.test⏎⏎"),
    (
      "a POST",
      "POST /octet/v1/a HTTP/1.1⏎Host: gw.test⏎X-Octet-A: \(String(repeating: "v", count: 65_536))⏎⏎"
    ),
    (
      "200 fields besides Host",
      "GET /octet/v1/a HTTP/1.1⏎Host: gw.test⏎\((0..<200).map { "X-\($0): 1⏎" }.joined())⏎"
    ),
  ].map { RefusalCase("Z01 \($0.0)", $0.1, 431, "F6") }

  @Test("Z01 431 over the limits, never cut", .tags(.report), arguments: large)
  func tooLarge(_ row: RefusalCase) throws { try row.check() }

  @Test("Z01 the limits are exact")
  func exactLimits() throws {
    let row = { (count: Int) in "X-A: \(String(repeating: "v", count: count))⏎" }
    let empty = octets("GET /octet/v1/flags HTTP/1.1⏎Host: gw.test⏎\(row(0))⏎").count
    try ForwardCase.fields("1024 octets", row(1024 - empty)).check { $0.limits.requestHead = 1024 }
    try RefusalCase(
      "1025 octets", "GET /octet/v1/flags HTTP/1.1⏎Host: gw.test⏎\(row(1025 - empty))⏎", 431, "F6"
    ).check { $0.limits.requestHead = 1024 }
  }
}
