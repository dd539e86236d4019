import ScriptedPeers
import Testing

@Suite("F3: hop-by-hop fields of requests")
struct HopByHopTests {
  static let removed: [ForwardCase] = [
    .fields(
      "C01 Connection and what it names",
      "Connection: X-Hop, keep-alive⏎X-Hop: 1⏎Keep-Alive: timeout=5⏎Proxy-Authorization: Basic eA==⏎X-A: 1⏎",
      upstream: "X-A: 1⏎"),
    .fields(
      "F3 all Connection lines form one list, in any case",
      "X-One: 1⏎connection: x-TWO⏎X-Keep: 1⏎CONNECTION: ,X-ONE ,⇥,⏎x-two: 2⏎X-One: again⏎X-Twofold: 2⏎",
      upstream: "X-Keep: 1⏎X-Twofold: 2⏎"),
    .fields(
      "F3 each fixed name, in any case",
      "X-A: 1⏎keep-alive: x⏎PROXY-CONNECTION: close⏎proxy-authorization: a⏎Trailer: X-Sum⏎upgrade: foo/1⏎"
        + "http2-settings: AAMAAABk⏎X-B: 2⏎",
      upstream: "X-A: 1⏎X-B: 2⏎"),
    .fields(
      "C05 upgrade to h2c", "Connection: Upgrade, HTTP2-Settings⏎Upgrade: h2c⏎HTTP2-Settings: AAMAAABk⏎",
      upstream: ""),
    .fields(
      "C05 upgrade to WebSocket", "Upgrade: websocket⏎Connection: upgrade⏎Sec-WebSocket-Key: k⏎",
      upstream: "Sec-WebSocket-Key: k⏎"),
    .fields(
      "F3 TE with trailers", "TE: gzip, trailers;q=0, Trailers⏎Connection: TE⏎", upstream: "TE: trailers⏎"),
    .fields("F3 TE twice", "te: trailers⏎X-A: 1⏎TE: trailers⏎", upstream: "te: trailers⏎X-A: 1⏎"),
    .fields("F3 TE without trailers", "TE: gzip⏎X-A: 1⏎", upstream: "X-A: 1⏎"),
    .fields("F3 TE without a value", "TE:⏎X-A: 1⏎", upstream: "X-A: 1⏎"),
    .fields(
      "F3 a quiet Connection takes nothing", "Connection: close⏎Close: 1⏎X-A: close⏎",
      upstream: "Close: 1⏎X-A: close⏎"),
    .fields("F3 an empty Connection", "Connection:⏎Connection: ,, ,⏎X-A: 1⏎", upstream: "X-A: 1⏎"),
    .fields("F3 a name that is not there", "Connection: X-Absent⏎X-A: 1⏎", upstream: "X-A: 1⏎"),
    .fields(
      "F3 others may be named",
      "Connection: Cookie, Expect-CT, Accept⏎Cookie: a⏎Accept: b⏎Expect-CT: c⏎X-A: 1⏎",
      upstream: "X-A: 1⏎"),
  ]

  @Test("Connection may not name more fields than 32 (F3)")
  func tooManyNames() throws {
    let api = try GatewayUnderTest.origin()
    defer { api.stop() }
    let gateway = try GatewayUnderTest(api: api)
    for (count, status) in [(32, 200), (33, 400)] {
      let names = (0..<count).map { "Hop-\($0)" }.joined(separator: ", ")
      #expect(try gateway.client().exchange(Ask.get("/v1/flags", "Connection: \(names)⏎")).status == status)
    }
  }

  @Test("are removed, and nothing else is", .tags(.report), arguments: removed)
  func areRemoved(_ row: ForwardCase) throws { try row.check() }

  static let protected: [RefusalCase] = [
    ("C03 Authorization and X-Octet-A", "close, Authorization, X-Octet-A"), ("F3 Host", "host"),
    ("F3 Content-Length", "Content-Length"), ("F3 Content-Type", "keep-alive,CONTENT-TYPE"),
    ("C03 Content-Encoding", "Content-Encoding"), ("C03 X-Octet-*, absent", "x-octet-absent"),
    ("C03 X_Octet_*", "X_Octet_A"), ("C03 in a list with empty members", ",,⇥authorization ,"),
    ("C03 behind Upgrade", "Upgrade, Authorization"),
  ].map {
    RefusalCase.post(
      $0.0,
      "Connection: \($0.1)⏎Authorization: Bearer t⏎X-Octet-A: 1⏎X_Octet_A: 1⏎Content-Type: a/b⏎"
        + "Upgrade: x⏎Content-Encoding: br⏎Content-Length: 2⏎", "{}", "F3")
  }

  @Test("Connection can't remove what must arrive", .tags(.report), arguments: protected)
  func isProtected(_ row: RefusalCase) throws { try row.check() }

  @Test("C03 a second Connection line counts too")
  func secondLine() throws {
    try RefusalCase(
      "second", "GET /octet/v1/a HTTP/1.1⏎Host: gw.test⏎Connection: a⏎Connection: Authorization⏎⏎", 400, "F3"
    ).check()
  }

  @Test("F3 naming Transfer-Encoding or Trailer does not unframe the content")
  func namedFraming() throws {
    let log = try withGateway { gateway, _ in
      let response = try gateway.client().exchange(
        octets("POST /octet/v1/a HTTP/1.1⏎Host: gw.test⏎Transfer-Encoding: chunked⏎")
          + octets("Connection: Transfer-Encoding, Trailer, TE⏎⏎2⏎ok⏎0⏎⏎"))
      #expect(response.status == 200)
    }
    #expect(log.requests[0].head.values("Transfer-Encoding") == ["chunked"])
    #expect(log.requests[0].head.values("Connection").isEmpty)
    #expect(log.requests[0].content == octets("ok"))
  }

  @Test("F3 trailers: what Connection names and proxy credentials go, the rest stays")
  func trailers() throws {
    let log = try withGateway { gateway, _ in
      let response = try gateway.client().exchange(
        octets("POST /octet/v1/a HTTP/1.1⏎Host: gw.test⏎Transfer-Encoding: chunked⏎Connection: X-Hop⏎⏎2⏎ok⏎")
          + octets("0⏎X-Sum: 9⏎x-hop: 1⏎x-SUM:⏎Proxy-Authorization: Basic eA==⏎X-Octet-T: 1⏎⏎"))
      #expect(response.status == 200)
    }
    expectEqual(log.requests[0].body.trailers, octets("X-Sum: 9⏎x-SUM:⏎X-Octet-T: 1⏎"))
  }

  @Test("R4 R9 trailers of an answer lose what its Connection names")
  func answerTrailers() throws {
    try withAnswers { _ in
      let head = "HTTP/1.1 200 OK⏎Connection: x-hop⏎Transfer-Encoding: chunked⏎⏎"
      return .octets(octets("\(head)1⏎x⏎0⏎X-Hop: 1⏎X-Sum: 9⏎⏎"))
    } _: { gateway, _ in
      let response = try gateway.client().exchange(
        octets("GET /octet/v1/a HTTP/1.1⏎Host: gw.test⏎TE: trailers⏎⏎"))
      expectEqual(response.body.trailers, octets("X-Sum: 9⏎"))
    }
  }

  @Test("C05 an upgrade is served as a plain request, never 101")
  func upgradeIsIgnored() throws {
    try withGateway { gateway, _ in
      let client = try gateway.client()
      let response = try client.exchange(
        octets("GET /octet/v1/a HTTP/1.1⏎Host: gw.test⏎Connection: Upgrade⏎Upgrade: h2c⏎⏎"))
      #expect(response.interim.isEmpty)
      #expect(response.status == 200)
      expectStatus(try client.exchange(octets("GET /octet/v1/b HTTP/1.1⏎Host: gw.test⏎⏎")), 200)
    }
  }

  @Test("F3 Connection: close ends the client's connection, not the upstream's")
  func closeIsTheClients() throws {
    let log = try withGateway { gateway, _ in
      for _ in 0..<2 {
        let client = try gateway.client()
        let response = try client.exchange(
          octets("GET /octet/v1/a HTTP/1.1⏎Host: gw.test⏎Connection: close⏎⏎"))
        #expect(response.values("Connection") == ["close"])
        #expect(client.isClosedByPeer())
      }
    }
    #expect(log.requests.count == 2)
    #expect(log.connections.count == 1)
  }
}
