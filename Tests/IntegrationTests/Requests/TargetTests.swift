import GatewayConfig
import ScriptedPeers
import Testing

@Suite("T1 and T2: the target")
struct TargetTests {
  static let tails: [ForwardCase] = [
    .tail("P01 encoded slash", "credits/a%2Fb"),
    .tail("P01 two of them, either case", "credits/a%2Fb%2fc"),
    .tail("P02 what a decoding server changes", "flags/%3Cid%3E/a%2Fb//c"),
    .tail("P02 escapes of unreserved characters", "%41%7E%7e%2D%5F"),
    .tail("P04 single escapes gain no layer", "credits/a%20b%2fc"),
    .tail("P04 double escapes lose none", "credits/a%252Fb%2520"),
    .tail("P06 slashes at the start", "/flags"),
    .tail("P06 slashes at the end", "flags//"),
    .tail("P06 many slashes", "a///b////"),
    .tail("P11 escapes that were rejected", "credits/git%40h%2Fx%3Fy%23z"),
    .tail("P11 an escaped backslash that is no separator of dots", "credits/a%5Cb"),
    .tail("P12 raw UTF-8", #"credits/\xC3\xA9"#),
    .tail("P12 octets that are no UTF-8", #"credits/\xFF\x80\xC3"#),
    .tail("P13 no slash before the query", "flags?x=1"),
    .tail("P14 sub-delims and @ :", "credits/y=20/$a,b:c@d!*'()&+;"),
    .tail("P19 escaped percent", "credits/foo%25bar/a%2Fb"),
    .tail("T3 characters that pass", "a\"<>^{|}`b"),
    .tail("T3 escapes that are no escapes", "100%/%zz/%4"),
    .tail("T3 control octets, escaped", "a%0d%0aFAKE%1b%01%7F"),
    .tail("T3 three dots and dots with more", ".../..a/a../.a./%2e%2e%2e"),
    .tail("T3 dots are free in the query", "flags?u=/../a/./%2e%2e/"),
    .tail("T3 a backslash and %00 are free in the query", #"flags?u=\x5C\x5Ca&n=%00"#),
    .tail("T2 nothing behind the route", ""),
    .tail("T2 a query alone", "?x"),
    .tail("T2 a host in the path", "//evil.test/x@evil.test:443/http://evil.test/"),
    .tail("T87 a raw colon", "proofs/lp:1"),
    .tail("Q01 bare question mark", "flags?"),
    .tail("Q01 none", "flags"),
    .tail("Q01 several", "flags??a=?&?"),
    .tail("Q02 semicolon", "flags?foo=bar;moo&x=1"),
    .tail("Q04 empty values and pairs", "flags?a=&b&&c=4&"),
    .tail("Q04 only separators", "flags?&&=&"),
    .tail("Q05 plus, %2B and %20", "flags?q=a+b%2Bc%20d"),
    .tail("Q08 an ordinary query", "flags?limit=17&cc=IT"),
    .tail("Q09 raw octets in the query", #"flags?q=\xD6\xD0"#),
    .tail("Q10 repeated keys", "flags?a=2&a=1&b=&a=3"),
    .tail("Q10 keys of one name in other cases and escapes", "flags?a=1&A=2&%61=3"),
  ]

  @Test("T2 goes on octet for octet behind the route", .tags(.report), arguments: tails)
  func staysAsItIs(_ row: ForwardCase) throws { try row.check() }

  @Test("T2 a target of many octets arrives whole")
  func longTarget() throws {
    let tail = "flags?" + String(repeating: "k=%2f&", count: 5_000)
    try ForwardCase.tail("30 000 octets", tail).check()
  }

  static let unrouted: [RefusalCase] = [
    "/octet/v1", "/octet/v1?x=1", "/octet/V1/x", "/OCTET/v1/x", "/octetish/v1/flags", "/octet/v1x/flags",
    "/octet/%76%31/x", "/%6Fctet/v1/x", "/octet%2Fv1/x", "/octet/v1%2Fflags", "/v1/flags", "/octet",
    "/octet/",
    "/octet?x=1", "/octet@evil.test/v1/flags", "//octet/v1/flags", "/octet//v1/flags", "/", "/octet/ext/geo",
    "/octet/ext/ipgeo/x", "/octet/v1;a/flags", "/octet?/v1/flags", "/octet/v1?/flags",
  ].map {
    RefusalCase("\($0)", "GET \($0) HTTP/1.1⏎Host: gw.test⏎⏎", 404, "T1", keepsConnection: true)
  }

  @Test("T1 P13 P18 T26 T45 has no route unless it starts with one, octet for octet", arguments: unrouted)
  func isNotRouted(_ row: RefusalCase) throws { try row.check() }

  @Test("T1 HEAD without a route is answered without content")
  func unroutedHead() throws {
    try withGateway { gateway, _ in
      let client = try gateway.client()
      let sent = octets("HEAD /v1/flags HTTP/1.1⏎Host: gw.test⏎⏎GET /octet/v1/flags HTTP/1.1⏎Host: gw.test⏎⏎")
      try client.send(sent)
      let response = client.readResponse(to: "HEAD")
      #expect(response.status == 404)
      #expect(response.values("Content-Length") != ["0"])
      expectStatus(client.readResponse(), 200)
    }
  }

  @Test("T1 a request without a route that announces content closes the connection")
  func unroutedWithContent() throws {
    try RefusalCase(
      "POST /v1", "POST /v1/proofs HTTP/1.1⏎Host: gw.test⏎Content-Length: 4⏎⏎", 404, "T1"
    ).check()
  }

  @Test(
    "T1 the longest route wins",
    arguments: [
      ("/octet/ext/a/x", "/short/a/x"), ("/octet/ext/geo/x", "/long/x"), ("/octet/ext/geo/", "/long/"),
      ("/octet/ext/geo", "/short/geo"), ("/octet/ext/geo/deep/x", "/longest/x"),
      ("/octet/ext/geox/y", "/short/geox/y"),
    ])
  func longestWins(_ sent: String, _ expected: String) throws {
    let log = try withGateway { configuration in
      configuration.routes = [("/ext/", "/short/"), ("/ext/geo/deep/", "/longest/"), ("/ext/geo/", "/long/")]
        .map {
          RouteConfiguration(
            path: $0.0, upstream: UpstreamURL(isTLS: true, host: "api.octetproof.com", port: 443, path: $0.1))
        }
    } _: { gateway, _ in
      expectStatus(try gateway.client().exchange(octets("GET \(sent) HTTP/1.1⏎Host: gw.test⏎⏎")), 200)
    }
    #expect(log.requests.map(\.target) == [expected])
  }

  @Test(
    "T1 C4 every route of the table leads where the table says", arguments: ["v1/flags", "ext/geo/borders/x"])
  func table(_ path: String) throws {
    let log = try withGateway { gateway, _ in
      expectStatus(try gateway.client().exchange(octets("GET /octet/\(path) HTTP/1.1⏎Host: gw.test⏎⏎")), 200)
    }
    #expect(log.requests.map(\.target) == ["/\(path)"])
  }

  @Test("T1 without a prefix the routes stand at the root")
  func noPrefix() throws {
    let log = try withGateway {
      $0.prefix = ""
    } _: { gateway, _ in
      expectStatus(try gateway.client().exchange(octets("GET /v1/a%2Fb HTTP/1.1⏎Host: gw.test⏎⏎")), 200)
    }
    #expect(log.requests.map(\.target) == ["/v1/a%2Fb"])
  }
}
