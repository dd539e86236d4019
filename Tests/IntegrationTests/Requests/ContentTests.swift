import GatewayConfig
import ScriptedPeers
import Testing

@Suite("B1 and B2: content and its framing")
struct ContentTests {
  static let bodies: [(id: String, content: [UInt8])] = [
    ("B01 JSON spacing, key order, numbers", octets(#"{ "b":1.0, "a":"\x5Cu00e9",⏎ "a":2 }"#)),
    ("T80 byte order mark", octets(#"\xEF\xBB\xBF{}"#)), ("T80 invalid UTF-8", octets(#"{"a":"\xFF\xC3("}"#)),
    ("T80 a trailing newline", octets("{}␊")),
    ("T80 1e3 and an escaped slash", octets(#"[1e3,1000,"\x5Cu002f"]"#)),
    ("B1 an empty object", octets("{}")), ("B1 one NUL", [0]), ("B1 nothing but CRLF", octets("⏎⏎⏎⏎")),
    ("B1 what looks like a request", octets("GET /octet/v1/inner HTTP/1.1⏎Host: gw.test⏎⏎")),
    ("B1 what looks like chunks", octets("5⏎hello⏎0⏎⏎")), ("B03 00..FF", Array(0...255)),
    ("B03 gzip of nothing", [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
  ]

  @Test("B1 T80 octets are the same, whatever they are", .tags(.report), arguments: bodies)
  func sameOctets(_ id: String, _ content: [UInt8]) throws {
    let lines = "Content-Type: application/json⏎Content-Encoding: gzip⏎"
    let log = try withGateway { gateway, _ in
      let client = try gateway.client()
      let head = "POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎\(lines)"
      let whole = octets(head + "Content-Length: \(content.count)⏎⏎") + content
      expectStatus(try client.exchange(whole), 200)
      let chunks = octets(head + "Transfer-Encoding: chunked⏎⏎") + chunked(content, by: 3)
      expectStatus(try client.exchange(chunks), 200)
    }
    #expect(log.requests.count == 2)
    for request in log.requests {
      expectEqual(request.content, content)
      #expect(request.head.values("Content-Encoding") == ["gzip"])
    }
  }

  static let framings: [ForwardCase] = [
    ("F01 length stays length", "POST", "Content-Length: 7⏎⏎{\"p\":1}"),
    ("F06 a length of 0 stays", "POST", "Content-Length: 0⏎⏎"), ("F03 GET without any", "GET", "⏎"),
    ("B2 POST without any", "POST", "⏎"), ("B2 GET with a length of 0", "GET", "content-LENGTH: 0⏎⏎"),
    ("B2 leading zeros stay", "POST", "Content-Length: 0002⏎⏎ok"),
    ("F01 length behind other fields", "PUT", "X-A: 1⏎content-length:2⏎X-B: 1⏎⏎ok"),
    ("B2 empty chunked stays chunked", "POST", "Transfer-Encoding: chunked⏎⏎0⏎⏎"),
    ("B2 the name and value of chunked keep their case", "POST", "transfer-ENCODING:⇥Chunked⏎⏎0⏎⏎"),
  ].map {
    ForwardCase(
      $0.0, "\($0.1) /octet/v1/a HTTP/1.1⏎Host: gw.test⏎\($0.2)",
      upstream: "\($0.1) /v1/a HTTP/1.1⏎Host: api.octetproof.com⏎\($0.2)")
  }

  @Test("B2 F5 the framing stays what it was", .tags(.report), arguments: framings)
  func framingStays(_ row: ForwardCase) throws { try row.check() }

  @Test("B2 F07 chunk extensions are dropped, trailers are relayed in their order")
  func chunkedParts() throws {
    let log = try withGateway { gateway, _ in
      let response = try gateway.client().exchange(
        octets(
          "POST /octet/v1/a HTTP/1.1⏎Host: gw.test⏎TE: trailers⏎Trailer: X-Sum⏎Transfer-Encoding: chunked⏎⏎")
          + octets(
            "2;name=value⏎ab⏎00003;q=\"a;b\" ; c⏎cde⏎A⏎0123456789⏎0;last⏎X-Sum: 9⏎x-b:⏎X-Sum:⇥\\xE9 ⏎⏎"))
      #expect(response.status == 200)
    }
    let request = log.requests[0]
    expectEqual(request.content, octets("abcde0123456789"))
    expectEqual(request.body.trailers, octets("X-Sum: 9⏎x-b:⏎X-Sum:⇥\\xE9 ⏎"))
    #expect(!request.body.raw.contains(0x3B))
    #expect(request.head.values("X-Sum").isEmpty)
    #expect(request.head.values("Transfer-Encoding") == ["chunked"])
    #expect(request.head.values("Content-Length").isEmpty)
  }

  @Test("B2 a request behind a chunked one starts where that ended")
  func nextBehindChunked() throws {
    let log = try withGateway { gateway, _ in
      let client = try gateway.client()
      try client.send(
        octets("POST /octet/v1/a HTTP/1.1⏎Host: gw.test⏎Transfer-Encoding: chunked⏎⏎1⏎x⏎0⏎T: 1⏎⏎")
          + octets("POST /octet/v1/b HTTP/1.1⏎Host: gw.test⏎Content-Length: 1⏎⏎y")
          + octets("GET /octet/v1/c HTTP/1.1⏎Host: gw.test⏎⏎"))
      for _ in 0..<3 { #expect(client.readResponse().status == 200) }
    }
    #expect(log.requests.map(\.target) == ["/v1/a", "/v1/b", "/v1/c"])
    #expect(log.requests.map(\.content) == [octets("x"), octets("y"), []])
  }

  @Test("B2 HTTP/1.0 requests go on as HTTP/1.1, and the connection closes", arguments: ["", "keep-alive"])
  func version10(_ connection: String) throws {
    let log = try withGateway { gateway, _ in
      let client = try gateway.client()
      let option = connection.isEmpty ? "" : "Connection: \(connection)⏎"
      let response = try client.exchange(
        octets("POST /octet/v1/a HTTP/1.0⏎Host: gw.test⏎\(option)Content-Length: 2⏎⏎ok"))
      #expect(response.status == 200)
      #expect(response.isWhole)
      #expect(response.values("Connection") == ["close"])
      #expect(client.isClosedByPeer())
    }
    expectEqual(
      log.requests[0].octets, octets("POST /v1/a HTTP/1.1⏎Host: api.octetproof.com⏎Content-Length: 2⏎⏎ok"))
  }

  @Test("I02 an HTTP/1.0 client sees no 100, though the upstream sends one")
  func version10Expect() throws {
    try withGateway { gateway, _ in
      let response = try gateway.client().exchange(
        octets("POST /octet/v1/a HTTP/1.0⏎Host: gw.test⏎Expect: 100-continue⏎Content-Length: 2⏎⏎ok"))
      #expect(response.interim.isEmpty)
      #expect(response.status == 200)
    }
  }

  @Test("F10 a chunked answer reaches an HTTP/1.0 client without chunks")
  func version10Answer() throws {
    try withAnswers { _ in
      .octets(octets("HTTP/1.1 200 OK⏎Transfer-Encoding: chunked⏎⏎3⏎abc⏎2⏎de⏎0⏎⏎"))
    } _: { gateway, _ in
      let response = try gateway.client().exchange(octets("GET /octet/v1/a HTTP/1.0⏎Host: gw.test⏎⏎"))
      #expect(response.values("Transfer-Encoding").isEmpty)
      #expect(response.isWhole)
      #expect(response.content == octets("abcde"))
    }
  }

  @Test("I02 Expect goes upstream; its 100 lets the content follow")
  func expectContinue() throws {
    let body = content(262_144)
    let log = try withGateway { gateway, _ in
      let client = try gateway.client()
      try client.send(
        octets("POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎Expect: 100-continue⏎Content-Length: 262144⏎⏎"))
      let response = client.readResponse { _ in try client.send(body) }
      #expect(response.interim.map(\.status) == [100])
      #expect(response.status == 200)
    }
    #expect(log.requests[0].head.values("Expect") == ["100-continue"])
    expectEqual(log.requests[0].content, body)
  }

  @Test("I02 a final answer instead of 100 arrives at once")
  func expectRefused() throws {
    let script: [OriginStep] = [
      .readHead, .send(octets("HTTP/1.1 417 Expectation Failed⏎Content-Length: 0⏎⏎")), .expectClientEnd,
    ]
    let log = try withGateway(script: script) { gateway, _ in
      let response = try gateway.client().exchange(
        octets("POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎Expect: 100-continue⏎Content-Length: 262144⏎⏎"))
      #expect(response.interim.isEmpty)
      #expect(response.status == 417)
    }
    #expect(log.completeRequests.isEmpty)
  }

  @Test("I04 no Expect is invented for large content")
  func noExpect() throws {
    let body = content(1_048_577)
    let log = try withGateway {
      $0.limits.requestBody = 2_097_152
    } _: { gateway, _ in
      let head = octets("POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎Content-Length: \(body.count)⏎⏎")
      let response = try gateway.client().exchange(head + body)
      #expect(response.interim.isEmpty)
      #expect(response.status == 200)
    }
    #expect(log.requests[0].head.values("Expect").isEmpty)
    expectEqual(log.requests[0].content, body)
  }
}
