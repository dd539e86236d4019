import HTTPMessage
import Routing
import Testing

@Suite("Paths on raw octets (rules T1, T2 and T3)")
struct PathTests {
  let table = RouteTable(routes: [
    route("/octet/v1/", to: "/v1/"), route("/octet/ext/", to: "/e/"), route("/octet/ext/geo/", to: "/g/x/"),
    route("/octet/", to: "/rest/"),
  ])
  let narrow = RouteTable(routes: [route("/octet/v1/", to: "/v1/")])

  @Test(
    "matches case-sensitively and whole segments only (T1)",
    arguments: [
      "/octet/v1", "/octet/V1/x", "/octetish/v1/x", "/octet/%76%31/x", "/v1/x", "/octet?x=1", "/",
      "//octet/v1/x",
      "/octet//v1/x", "/Octet/v1/x", "/octet@evil.test/v1/flags", "/octet/v1?x=/octet/v1/", "/octet%2Fv1/x",
      "?/octet/v1/",
      "http://gw.test",
    ])
  func notFound(target: String) {
    let expected = target.hasPrefix("h") ? "400 T4" : target.hasPrefix("?") ? "400 T4" : "404 T1"
    #expect(outcome(narrow, target) == expected)
  }

  @Test("takes the longest route, whatever the order of the table (T1)")
  func longest() {
    for routes in [table.routes, table.routes.reversed()] {
      let table = RouteTable(routes: routes)
      #expect(outcome(table, "/octet/ext/geo/a") == "/g/x/a")
      #expect(outcome(table, "/octet/ext/geo") == "/e/geo")
      #expect(outcome(table, "/octet/ext/geo?a") == "/e/geo?a")
      #expect(outcome(table, "/octet/ext/") == "/e/")
      #expect(outcome(table, "/octet/x") == "/rest/x")
    }
  }

  @Test(
    "keeps what is behind the route's path (T2)",
    arguments: [
      "credits/a%2Fb", "credits/a%20b%2fc%41", "flags//", "/flags", "flags?", "flags", "flags?a=&b&&c=4&",
      "flags?foo=bar;moo&x=1", "flags?q=a+b%2Bc%20d", "credits/y=20/$a,b:c@d!*'()", "a?b?c/../%2e", "", "?",
      "a%", "a%2",
      "a%zz%G0", "%25%2525", "~;p=1;q/..;/x", "...", "a/.../b", ".a/..b/a./b..", "%2e%2e%2e/%2ex",
      "x?a=\\&b=%00",
    ])
  func keepsTail(tail: String) {
    #expect(outcome(table, "/octet/v1/" + tail) == "/v1/" + tail)
  }

  @Test("passes or refuses every octet in the path (T3)", arguments: UInt8.min...UInt8.max)
  func pathOctet(octet: UInt8) throws {
    let head = requestHead(Array("/octet/v1/a".utf8) + [octet, 0x62])
    guard OctetClass.isTarget(octet) else { return #expect(head == nil) }
    if octet == UInt8(ascii: "\\") { return #expect(outcome(table, head) == "400 T3") }
    try expectTail(try #require(head), [0x61, octet, 0x62])
  }

  @Test("passes or refuses every octet in the query (T3)", arguments: UInt8.min...UInt8.max)
  func queryOctet(octet: UInt8) throws {
    let head = requestHead(Array("/octet/v1/a?".utf8) + [octet, 0x62])
    guard OctetClass.isTarget(octet) else { return #expect(head == nil) }
    try expectTail(try #require(head), [0x61, 0x3F, octet, 0x62])
  }

  @Test("passes every escape but %00 inside a segment (T2, T3)", arguments: UInt8.min...UInt8.max)
  func escape(octet: UInt8) {
    for text in ["%" + hex(octet), "%" + hex(octet).uppercased()] {
      let expected = octet == 0 ? "400 T3" : "/v1/a" + text + "b"
      #expect(outcome(table, "/octet/v1/a\(text)b") == expected)
      #expect(outcome(table, "/octet/v1/a?\(text)") == "/v1/a?" + text)
    }
  }

  static let dots = [".", "%2e", "%2E"]
  static let separators = ["/", "%2f", "%2F", "%5c", "%5C"]

  @Test("refuses a dot segment in every spelling (T3)")
  func dotSegments() {
    let double = Self.dots.flatMap { first in Self.dots.map { first + $0 } }
    for segment in Self.dots + double {
      for before in Self.separators {
        let path = "/octet/v1/a\(before)\(segment)"
        #expect(outcome(table, path) == "400 T3", "\(path)")
        #expect(outcome(table, path + "?x") == "400 T3")
        for after in Self.separators { #expect(outcome(table, path + after + "b") == "400 T3") }
        #expect(outcome(table, path + "x") == "/v1/a\(before)\(segment)x")
        #expect(outcome(table, "/octet/v1/a\(before)x\(segment)") == "/v1/a\(before)x\(segment)")
      }
      #expect(outcome(table, "/octet/v1/\(segment)") == "400 T3")
      #expect(outcome(table, "/\(segment)/octet/v1/x") == "400 T3")
      #expect(outcome(table, "/octet/v1/a?/\(segment)/") == "/v1/a?/\(segment)/")
    }
  }

  private func expectTail(_ head: RequestHead, _ tail: [UInt8]) throws {
    let match = try table.match(head)
    #expect(Array(head.section.octets[match.tail]) == tail)
  }

  private func hex(_ octet: UInt8) -> String {
    (octet < 16 ? "0" : "") + String(octet, radix: 16)
  }
}
