import GatewayConfig
import ScriptedPeers
import Testing

@Suite("R8: a final response during the upload")
struct EarlyResponseTests {
  private static let answer = octets("HTTP/1.1 429 Slow⏎Date: x⏎Retry-After: 5⏎Content-Length: 4⏎⏎slow")

  @Test("reaches a client that keeps writing (Y01)", arguments: [true, false])
  func keepsWriting(_ overTLS: Bool) throws {
    let api = try GatewayUnderTest.origin(script: { _ in
      [.readHead, .readContent(1024), .send(EarlyResponseTests.answer), .closeNotifyAndClose]
    })
    let gateway = try GatewayUnderTest(api: api)
    let client = try overTLS ? gateway.client() : gateway.plainClient()
    let content = pattern(262_144)
    try client.send(Ask.head(length: content.count) + content.prefix(1024))
    // The client does not look at what comes until it has written all, or can't any more.
    _ = try? client.send(Array(content.dropFirst(1024)), inPiecesOf: 8192, every: .milliseconds(2))
    let response = client.readResponse(to: "POST")
    #expect(response.status == 429)
    #expect(response.values("Retry-After") == ["5"])
    #expect(response.content == octets("slow"))
    #expect(response.end == .complete)
    #expect(response.values("Connection") == ["close"])
  }

  @Test("reaches a client whose upload pauses (Y03)", arguments: [true, false])
  func paused(_ closes: Bool) throws {
    let api = try GatewayUnderTest.origin(script: { _ in
      [.readHead, .send(EarlyResponseTests.answer)] + (closes ? [.closeNotifyAndClose] : [])
    })
    let client = try GatewayUnderTest(api: api).client()
    try client.send(Ask.head(length: 262_144) + pattern(10))
    let response = client.readResponse(to: "POST", within: .seconds(1))
    #expect(response.status == 429)
    #expect(response.end == .complete)
  }

  @Test("of an upstream that resets at once after it is not lost")
  func resets() throws {
    let api = try GatewayUnderTest.origin(script: { _ in
      [.readHead, .readContent(1024), .send(EarlyResponseTests.answer), .closeAtOnce]
    })
    let client = try GatewayUnderTest(api: api).client()
    try client.send(Ask.head(length: 262_144) + pattern(1024))
    #expect(client.readResponse(to: "POST").status == 429)
  }

  @Test("without an end shows its beginning at once, and the upload goes on meanwhile")
  func bothWays() throws {
    let api = try GatewayUnderTest.origin(script: { _ in
      [
        .readHead, .send(octets("HTTP/1.1 200 OK⏎Content-Length: 10⏎⏎early")), .readContent(50_000),
        .send(octets("-late")),
      ]
    })
    let client = try GatewayUnderTest(api: api).client()
    try client.send(Ask.head(length: 50_000))
    let beginning = try client.readSome(1000)
    #expect(beginning.starts(with: octets("HTTP/1.1 200 OK⏎")))
    try client.send(pattern(50_000))
    while !client.received.suffix(10).elementsEqual(octets("early-late")) { _ = try client.readSome(1000) }
    #expect(api.requests[0].content == pattern(50_000))
  }

  @Test("to a chunked upload, and its rest is no request")
  func chunked() throws {
    let api = try GatewayUnderTest.origin(script: { _ in
      [.readHead, .send(EarlyResponseTests.answer), .closeNotifyAndClose]
    })
    let client = try GatewayUnderTest(api: api).client()
    try client.send(
      octets("POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎Transfer-Encoding: chunked⏎⏎5⏎hello⏎"))
    let response = client.readResponse(to: "POST", within: .seconds(2))
    #expect(response.status == 429)
    _ = try? client.send(Ask.get("/v1/smuggled"))
    #expect(client.isClosedByPeer())
    #expect(api.requests.count == 1)
    #expect(api.connections.count == 1)
  }

  @Test("bounds the client's rest: it is read and dropped for linger_timeout at most")
  func lingerEnds() throws {
    let api = try GatewayUnderTest.origin(script: { _ in
      [.readHead, .send(EarlyResponseTests.answer), .closeNotifyAndClose]
    })
    let client = try GatewayUnderTest(api: api) { $0.timeouts.linger = 200 }.plainClient()
    try client.send(Ask.head(length: 1_000_000))
    #expect(client.readResponse(to: "POST").end == .complete)
    #expect(throws: PeerError.self) {
      try client.send(pattern(500_000), inPiecesOf: 1000, every: .milliseconds(10), within: .seconds(3))
    }
  }

  @Test("A client that sent more than the answered request still gets the whole answer")
  func surplus() throws {
    let api = try GatewayUnderTest.origin { _ in
      ScriptedResponse([
        .waitForSignal("go"), .send(octets("HTTP/1.1 200 OK⏎Content-Length: 200000⏎⏎") + pattern(200_000)),
      ])
    }
    let gateway = try GatewayUnderTest(api: api)
    for client in [try gateway.client(receiveBuffer: 4096), try gateway.plainClient(receiveBuffer: 4096)] {
      try client.send(Ask.get("/v1/flags", "Connection: close⏎"))
      try client.send(Ask.get("/v1/never") + Ask.get("/v1/never"))
      api.signal("go")
      let response = client.readResponse()
      #expect(response.end == .complete)
      #expect(response.content == pattern(200_000))
      #expect(client.isClosedByPeer())
    }
    #expect(api.requests.allSatisfy { $0.target == "/v1/flags" })
  }
}

@Suite("R9: trailers and old clients")
struct TrailerTests {
  private static let body = octets(
    "HTTP/1.1 200 OK⏎Date: x⏎Trailer: X-Sum⏎Transfer-Encoding: chunked⏎⏎5⏎hello⏎0⏎X-Sum: 9⏎x-two:  2 ⏎⏎")

  @Test(
    "are relayed to a client that accepts them (F07)", arguments: ["TE: trailers⏎", "te: gzip, Trailers⏎"])
  func relayed(_ fields: String) throws {
    let api = try GatewayUnderTest.origin { _ in .octets(TrailerTests.body) }
    let response = try GatewayUnderTest(api: api).client().exchange(Ask.get("/v1/x", fields))
    #expect(response.content == octets("hello"))
    #expect(response.body.trailers == octets("X-Sum: 9⏎x-two:  2 ⏎"))
  }

  @Test("are dropped for the others, and never become head fields")
  func dropped() throws {
    let api = try GatewayUnderTest.origin { _ in .octets(TrailerTests.body) }
    let client = try GatewayUnderTest(api: api).client()
    for _ in 0..<2 {
      let response = try client.exchange(Ask.get())
      #expect(response.end == .complete)
      #expect(response.body.trailers.isEmpty)
      #expect(response.values("X-Sum").isEmpty)
    }
  }

  @Test("An HTTP/1.0 client gets content without chunks, and the end of the connection is its end (F10)")
  func oldClient() throws {
    let api = try GatewayUnderTest.origin { _ in .octets(TrailerTests.body) }
    let gateway = try GatewayUnderTest(api: api)
    for client in [try gateway.client(), try gateway.plainClient()] {
      let response = try client.exchange(octets("GET /octet/v1/flags HTTP/1.0⏎Host: gw.test⏎⏎"))
      #expect(response.values("Transfer-Encoding").isEmpty)
      #expect(response.isCloseDelimited && response.isWhole)
      #expect(response.content == octets("hello"))
    }
  }
}
