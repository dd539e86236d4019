import GatewayConfig
import ScriptedPeers
import Testing

@Suite("M1, F1, F2, F4 and F5: method and field lines")
struct FieldTests {
  @Test(
    "M1 M01 any method token passes, case kept", .tags(.report),
    arguments: [
      "GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "patch", "PURGE", "Get", "connect", "trace",
      "M-SEARCH",
      "x!#$%&'*+.^_`|~0", "PRI", "A",
    ])
  func methodPasses(_ method: String) throws {
    try ForwardCase(
      method, "\(method) /octet/v1/metrics HTTP/1.1⏎Host: gw.test⏎Content-Length: 0⏎⏎",
      upstream: "\(method) /v1/metrics HTTP/1.1⏎Host: api.octetproof.com⏎Content-Length: 0⏎⏎"
    ).check()
  }

  @Test("M1 HEAD passes")
  func head() throws {
    let log = try withGateway { gateway, _ in
      let response = try gateway.client().exchange(octets("HEAD /octet/v1/flags HTTP/1.1⏎Host: gw.test⏎⏎"))
      #expect(response.status == 200)
    }
    #expect(log.requests.map(\.method) == ["HEAD"])
  }

  @Test("M1 content on GET, DELETE and HEAD passes", arguments: ["GET", "DELETE", "HEAD", "OPTIONS"])
  func contentOnAny(_ method: String) throws {
    try ForwardCase(
      method, "\(method) /octet/v1/metrics HTTP/1.1⏎Host: gw.test⏎Content-Length: 4⏎⏎a⏎b",
      upstream: "\(method) /v1/metrics HTTP/1.1⏎Host: api.octetproof.com⏎Content-Length: 4⏎⏎a⏎b"
    ).check()
  }

  static let lines: [ForwardCase] = [
    .fields("H01 name case", "X-Octet-SDK: 3⏎x-OCTET-b: 2⏎uSER-aGENT: x⏎"),
    .fields("H02 names with other token characters", "X_Octet_Key: k⏎X-Octet.V: 1⏎X-Octet!#$: 2⏎"),
    .fields("F1 every token character in a name", "a!#$%&'*+-.^_`|~09Z: 1⏎"),
    .fields("H03 an empty value", "X-Octet-Empty:⏎X-Octet-B: 1⏎"),
    .fields("H03 only white space", "X-Octet-Empty: ⇥ ⏎X-Octet-B:1⏎"),
    .fields("H04 repeated lines", "X-Octet-A: 1⏎X-Octet-B: x⏎X-Octet-A: 2,3⏎x-octet-a: 1⏎"),
    .fields("H04 repeated lines of known names", "Accept: a⏎Cookie: a=1⏎Accept: b⏎Cookie: b=2⏎"),
    .fields(
      "H05 octets above 0x7F", #"X-Octet-Place: Jos\xC3\xA9⏎X-Octet-L1: \xE9⏎X-Octet-All: \x80\xFE\xFF\x7F⏎"#),
    .fields("F1 inner white space", "X-Octet-A: a  b⇥⇥c ⇥ d⏎"),
    .fields("F2 white space around the value", "X-A:  1 ⏎X-B:⇥1⇥⏎X-C:1⏎"),
    .fields("F1 colons and quotes", #"X-A: ::a:b "q, r" (c) \x5C" ;=⏎"#),
    .fields("F1 commas only", "X-A: ,, ,⏎X-B: a,,b⏎"),
    .fields("H11 Authorization", "Authorization: Bearer t1, t2 \"x\"⏎"),
    .fields("H11 two of them", "authorization: Bearer a⏎AUTHORIZATION: Bearer b⏎"),
    .fields("H17 Referer", "Referer: https://app.test/p⏎"),
    .fields("H18 Accept-Encoding, all", "Accept-Encoding: gzip, deflate, br, zstd⏎"),
    .fields("H18 Accept-Encoding, identity", "Accept-Encoding: identity⏎"),
    .fields("E01 Accept-Encoding, gzip", "accept-encoding: gzip;q=1.0⏎"),
    .fields("E02 If-None-Match", "If-None-Match: \"abc\", W/\"d\"⏎"),
    .fields("E03 Range", "Range: bytes=100-199⏎Accept-Encoding: gzip⏎If-Range: \"e\"⏎"),
    .fields(
      "F1 what proxies like to own",
      "Via: 1.1 a⏎Forwarded: for=1.2.3.4⏎X-Forwarded-For: 1.2.3.4⏎X-Real-IP: 1⏎"),
    .fields(
      "F1 what proxies like to obey", "Max-Forwards: 0⏎Cache-Control: no-cache⏎Pragma: no-cache⏎DNT: 1⏎"),
    .fields("F1 response fields in a request", "Date: x⏎Set-Cookie: a=b⏎Location: /x⏎Alt-Svc: h3⏎Server: s⏎"),
    .fields(
      "F1 names like framing fields", "Transfer_Encoding: chunked⏎Content_Length: 9⏎X-Content-Length: 9⏎"),
    .fields("F1 a field for every origin", "Origin: null⏎Cookie2: $Version=1⏎Upgrade-Insecure-Requests: 1⏎"),
  ]

  @Test("F1 F2 every end-to-end line arrives as it is, in its place", .tags(.report), arguments: lines)
  func lineArrives(_ row: ForwardCase) throws { try row.check() }

  static let bare: [ForwardCase] = [
    .fields("H08 F03 nothing is added to a GET", ""),
    ForwardCase(
      "H09 no Content-Type is added", "POST /octet/v1/heartbeat HTTP/1.1⏎Host: gw.test⏎Content-Length: 2⏎⏎{}",
      upstream: "POST /v1/heartbeat HTTP/1.1⏎Host: api.octetproof.com⏎Content-Length: 2⏎⏎{}"),
    ForwardCase(
      "T91 the token mint has neither content nor length",
      "POST /octet/v1/proofs/auth HTTP/1.1⏎Host: gw.test⏎Authorization: Bearer b⏎⏎",
      upstream: "POST /v1/proofs/auth HTTP/1.1⏎Host: api.octetproof.com⏎Authorization: Bearer b⏎⏎"),
    ForwardCase(
      "T85 no credentials are asked for", "POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎Content-Length: 0⏎⏎",
      upstream: "POST /v1/proofs HTTP/1.1⏎Host: api.octetproof.com⏎Content-Length: 0⏎⏎"),
  ]

  @Test("F4 nothing is added", .tags(.report), arguments: bare)
  func addsNothing(_ row: ForwardCase) throws { try row.check() }

  @Test("F4 Via and Forwarded are added when they are switched on")
  func addsOnRequest() throws {
    try ForwardCase.fields(
      "on", "Via: 1.0 a⏎X-A: 1⏎",
      upstream: "Via: 1.0 a⏎X-A: 1⏎Via: 1.1 octet-gateway⏎"
        + "Forwarded: for=127.0.0.1;proto=https;host=\"gw.test\"⏎"
    ).check {
      $0.via = true
      $0.forwarded = true
    }
  }

  static let hosts: [ForwardCase] = [
    ("L02 Host", "Host: gw.test", "Host: api.octetproof.com"),
    ("L02 HOST with a port", "HOST: gw.test:443", "HOST: api.octetproof.com"),
    ("F5 white space is not the client's", "hOsT:⇥gw.test ", "hOsT: api.octetproof.com"),
    ("F5 another name", "Host: elsewhere.test:8443", "Host: api.octetproof.com"),
    ("F5 an IPv6 literal", "Host: [::1]:8443", "Host: api.octetproof.com"),
  ].map {
    ForwardCase(
      $0.0, "GET /octet/v1/flags HTTP/1.1⏎X-A: 1⏎\($0.1)⏎X-B: 2⏎⏎",
      upstream: "GET /v1/flags HTTP/1.1⏎X-A: 1⏎\($0.2)⏎X-B: 2⏎⏎")
  }

  @Test("F5 F2 one Host, the upstream's, where the client's stood", .tags(.report), arguments: hosts)
  func oneHost(_ row: ForwardCase) throws { try row.check() }

  @Test("F5 L01 SNI is the upstream's name, not the client's")
  func serverName() throws {
    let log = try withGateway { gateway, _ in
      _ = try gateway.client().exchange(octets("GET /octet/v1/flags HTTP/1.1⏎Host: gw.test⏎⏎"))
    }
    #expect(log.connections.map(\.hello.serverName) == ["api.octetproof.com"])
  }

  @Test("F5 a port that is not the scheme's own stands in Host")
  func portInHost() throws {
    let log = try withGateway { configuration in
      configuration.routes = configuration.routes.map {
        var route = $0
        route.upstream.port = 8443
        return route
      }
      configuration.connectTo[0].port = 8443
    } _: { gateway, _ in
      _ = try gateway.client().exchange(octets("GET /octet/v1/flags HTTP/1.1⏎Host: gw.test⏎⏎"))
    }
    #expect(log.requests.first?.head.values("Host") == ["api.octetproof.com:8443"])
  }

  @Test("F1 C6 K04 requests on one connection do not mix")
  func oneAfterAnother() throws {
    let log = try withGateway { gateway, _ in
      let client = try gateway.client()
      for number in 0..<3 {
        let response = try client.exchange(
          octets(
            "POST /octet/v1/\(number) HTTP/1.1⏎Host: gw.test⏎X-N: \(number)⏎Content-Length: 1⏎⏎\(number)"))
        #expect(response.status == 200)
      }
    }
    #expect(log.connections.count == 1)
    for (number, request) in log.requests.enumerated() {
      expectEqual(
        request.octets,
        octets(
          "POST /v1/\(number) HTTP/1.1⏎Host: api.octetproof.com⏎X-N: \(number)⏎Content-Length: 1⏎⏎\(number)"))
    }
  }
}
