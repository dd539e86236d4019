import GatewayConfig
import ScriptedPeers
import Testing

@Suite("C1: a request whose upstream connection dies")
struct RetryTests {
  /// Answers the first request of connection 0, then meets the second with `steps`; later connections are well.
  private func dying(_ steps: [OriginStep], all: Bool = false) throws -> ScriptedOrigin {
    try GatewayUnderTest.origin { request in
      if all, request.connection > 0 || request.place > 0 { return ScriptedResponse(steps) }
      return request.connection == 0 && request.place == 1 ? ScriptedResponse(steps) : .ok(octets("ok"))
    }
  }

  private func send(_ second: [UInt8], to api: ScriptedOrigin) throws -> RawResponse {
    let client = try GatewayUnderTest(api: api).client()
    #expect(try client.exchange(Ask.get("/v1/first")).status == 200)
    return try client.exchange(second)
  }

  @Test(
    "is not repeated when it has content or is not idempotent (R01)",
    arguments: [
      "POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎Content-Length: 3⏎⏎abc",
      "POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎Transfer-Encoding: chunked⏎⏎3⏎abc⏎0⏎⏎",
      "POST /octet/v1/mint HTTP/1.1⏎Host: gw.test⏎⏎",
      "POST /octet/v1/heartbeat HTTP/1.1⏎Host: gw.test⏎Content-Length: 0⏎⏎",
      "PATCH /octet/v1/x HTTP/1.1⏎Host: gw.test⏎⏎",
      "post /octet/v1/x HTTP/1.1⏎Host: gw.test⏎⏎", "get /octet/v1/x HTTP/1.1⏎Host: gw.test⏎⏎",
      "PUT /octet/v1/x HTTP/1.1⏎Host: gw.test⏎Content-Length: 3⏎⏎abc",
      "GET /octet/v1/x HTTP/1.1⏎Host: gw.test⏎Content-Length: 3⏎⏎abc",
    ], [0, 1, 2])
  func notRepeated(_ text: String, _ how: Int) throws {
    let api = try dying([[.closeAbruptly], [.closeNotifyAndClose], [.reset]][how])
    expectOwnAnswer(try send(octets(text), to: api), 502, "connection_terminated")
    #expect(api.requests.count == 2)
    #expect(api.connections.count == 1)
  }

  @Test(
    "is repeated once on a fresh connection when it is idempotent and has no content",
    arguments: ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
  func repeated(_ method: String) throws {
    let api = try dying([.closeAbruptly])
    let response = try send(Ask.get("/v1/x", method: method), to: api)
    #expect(response.status == 200)
    #expect(api.requests.map(\.connection) == [0, 0, 1])
    #expect(api.requests[1].octets == api.requests[2].octets)
  }

  @Test("is repeated once at most")
  func once() throws {
    let api = try dying([.closeAbruptly], all: true)
    expectOwnAnswer(try send(Ask.get(), to: api), 502, "connection_terminated")
    #expect(api.requests.map(\.connection) == [0, 0, 1])
  }

  @Test("is not repeated after an octet of its response", arguments: ["H", "HTTP/1.1 100 Continue⏎⏎"])
  func afterOctet(_ text: String) throws {
    let api = try dying([.send(octets(text)), .closeAbruptly])
    #expect(try send(Ask.get(), to: api).status == 502)
    #expect(api.requests.count == 2)
  }

  @Test("is not repeated when the connection was new", arguments: [true, false])
  func freshConnection(_ resets: Bool) throws {
    let api = try GatewayUnderTest.origin { _ in ScriptedResponse([resets ? .reset : .closeAbruptly]) }
    expectOwnAnswer(try GatewayUnderTest(api: api).client().exchange(Ask.get()), 502, "connection_terminated")
    #expect(api.requests.count == 1)
  }

  @Test("Early data is off on the client's leg (R05)")
  func earlyData() throws {
    let api = try GatewayUnderTest.origin()
    let gateway = try GatewayUnderTest(api: api)
    let first = try gateway.client()
    #expect(try first.exchange(Ask.get()).status == 200)
    var tls = ClientTLS(caFile: gateway.authority.caFile, serverName: "gw.test")
    tls.session = first.session
    tls.earlyData = Ask.post(content: octets("proof"))
    let second = try RawClient(port: gateway.tlsPort, tls: tls)
    #expect(second.isResumed)
    #expect(second.earlyData == .notAllowed)
    #expect(try second.exchange(Ask.get()).status == 200)
    #expect(api.requests.allSatisfy { $0.method == "GET" })
  }
}

@Suite("C2: upstream connections")
struct ReuseTests {
  @Test("are kept and used again, also by other clients")
  func reused() throws {
    let api = try GatewayUnderTest.origin { _ in .ok(octets("ok")) }
    let gateway = try GatewayUnderTest(api: api)
    for _ in 0..<3 {
      let client = try gateway.client()
      #expect(try client.exchange(Ask.get()).status == 200)
      #expect(try client.exchange(Ask.post(content: pattern(100))).status == 200)
    }
    #expect(api.connections.count == 1)
    #expect(api.requests.map(\.place) == [0, 1, 2, 3, 4, 5])
  }

  @Test(
    "that ended while idle are dropped before use: no failed request",
    arguments: ["close", "cut", "reset", "octets"])
  func dropped(_ how: String) throws {
    let step: OriginStep =
      switch how {
      case "close": .closeNotifyAndClose
      case "cut": .closeAbruptly
      case "reset": .reset
      default: .send(octets("HTTP/1.1 408 Request Timeout⏎Content-Length: 0⏎⏎"))
      }
    let api = try GatewayUnderTest.origin { _ in
      ScriptedResponse(ScriptedResponse.ok(octets("ok")).steps + [.waitForSignal("end"), step])
    }
    let client = try GatewayUnderTest(api: api).client()
    #expect(try client.exchange(Ask.get()).status == 200)
    api.signal("end")
    try api.wait("the end") {
      how == "octets" ? $0.connections[0].end != .open : $0.connections[0].isFinished
    }
    #expect(try client.exchange(Ask.post(content: [1])).content == octets("ok"))
    #expect(api.requests.map(\.connection) == [0, 1])
  }

  @Test("that end with each answer cost no GET and double no POST (K01)")
  func closedEachTime() throws {
    let api = try GatewayUnderTest.origin { _ in ScriptedResponse.ok(octets("ok")).thenClose }
    let client = try GatewayUnderTest(api: api).client()
    for number in 0..<40 {
      #expect(try client.exchange(Ask.get("/v1/get\(number)")).status == 200)
      let response = try client.exchange(Ask.post("/v1/post\(number)", content: [1]))
      #expect([200, 502].contains(response.status))
    }
    let posts = api.requests.filter { $0.method == "POST" }.map(\.target)
    #expect(Set(posts).count == posts.count)
  }

  @Test("are given up when they are idle or old enough", arguments: [true, false])
  func expire(_ byAge: Bool) throws {
    let api = try GatewayUnderTest.origin()
    let client = try GatewayUnderTest(api: api) {
      if byAge { $0.timeouts.upstreamMaxAge = 150 } else { $0.timeouts.upstreamKeepAlive = 150 }
    }.client()
    #expect(try client.exchange(Ask.get()).status == 200)
    #expect(try api.waitForEnd(of: 0, within: .seconds(2)).end == .clean)
    #expect(try client.exchange(Ask.get()).status == 200)
    #expect(api.requests.map(\.connection) == [0, 1])
  }

  @Test("are idle no longer than most servers keep them, by default (K01)")
  func defaults() {
    #expect(Timeouts().upstreamKeepAlive < 5_000)
    #expect(Timeouts().upstreamMaxAge <= 300_000)
  }

  @Test("whose response was not waited for are not used again")
  func abandoned() throws {
    let api = try GatewayUnderTest.origin { request in
      request.target == "/v1/slow" ? ScriptedResponse([.waitForSignal("never")]) : .ok(octets("ok"))
    }
    let gateway = try GatewayUnderTest(api: api)
    let first = try gateway.client()
    try first.send(Ask.get("/v1/slow"))
    try api.waitForRequests(1)
    first.reset()
    #expect(try gateway.client().exchange(Ask.get()).content == octets("ok"))
    #expect(api.requests.map(\.connection) == [0, 1])
  }
}
