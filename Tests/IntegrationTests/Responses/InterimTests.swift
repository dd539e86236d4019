import GatewayConfig
import ScriptedPeers
import Testing

@Suite("R7: interim responses")
struct InterimTests {
  @Test("are relayed as they come, and the final one follows untouched (I01)")
  func relayed() throws {
    let literal = octets(
      "HTTP/1.1 103 Early Hints⏎Link: </a>⏎⏎HTTP/1.1 102 ⏎⏎HTTP/1.1 199 Odd⏎X: 1⏎x: 2⏎⏎"
        + "HTTP/1.1 200 OK⏎Date: x⏎Content-Length: 2⏎⏎ok")
    let api = try GatewayUnderTest.origin { _ in .octets(literal) }
    let client = try GatewayUnderTest(api: api).client()
    for _ in 0..<2 {
      let response = try client.exchange(Ask.get())
      #expect(response.interim.map(\.status) == [103, 102, 199])
      #expect(response.values("Link").isEmpty)
    }
    #expect(client.received == literal + literal)
    #expect(api.connections.count == 1)
  }

  @Test("reach the client before the final one is there")
  func atOnce() throws {
    let api = try GatewayUnderTest.origin { _ in
      ScriptedResponse([
        .send(octets("HTTP/1.1 103 Early Hints⏎Link: </a>⏎⏎")), .waitForSignal("seen"),
        .send(octets("HTTP/1.1 200 OK⏎Content-Length: 0⏎⏎")),
      ])
    }
    let client = try GatewayUnderTest(api: api).client()
    try client.send(Ask.get())
    let response = client.readResponse(within: .seconds(3)) { _ in api.signal("seen") }
    #expect(response.status == 200)
    #expect(response.interim.count == 1)
  }

  @Test("lose their hop-by-hop fields")
  func hopByHop() throws {
    let api = try GatewayUnderTest.origin { _ in
      .octets(
        octets(
          "HTTP/1.1 103 Early Hints⏎Connection: X-Hop⏎X-Hop: 1⏎Alt-Svc: x⏎Link: </a>⏎⏎"
            + "HTTP/1.1 200 OK⏎Content-Length: 0⏎⏎"))
    }
    let response = try GatewayUnderTest(api: api).client().exchange(Ask.get())
    #expect(response.interim.map(\.octets) == [octets("HTTP/1.1 103 Early Hints⏎Link: </a>⏎⏎")])
  }

  @Test("are nothing for an HTTP/1.0 client")
  func oldClient() throws {
    let api = try GatewayUnderTest.origin { _ in
      .octets(octets("HTTP/1.1 103 Early Hints⏎⏎HTTP/1.1 200 OK⏎Content-Length: 2⏎⏎ok"))
    }
    let response = try GatewayUnderTest(api: api).client().exchange(
      octets("GET /octet/v1/flags HTTP/1.0⏎Host: gw.test⏎⏎"))
    #expect(response.interim.isEmpty)
    #expect(response.content == octets("ok"))
  }

  @Test("101, which nobody asked for, is a 502", arguments: ["", "Connection: Upgrade⏎Upgrade: websocket⏎"])
  func switching(_ fields: String) throws {
    let api = try GatewayUnderTest.origin { _ in
      .octets(octets("HTTP/1.1 101 Switching Protocols⏎Upgrade: websocket⏎Connection: Upgrade⏎⏎"))
    }
    let response = try GatewayUnderTest(api: api).client().exchange(Ask.get("/v1/flags", fields))
    expectOwnAnswer(response, 502, "http_upgrade_failed")
    try api.waitForEnd(of: 0)
  }

  @Test("that never end are bounded in time")
  func flood() throws {
    let interim = octets("HTTP/1.1 103 Early Hints⏎Link: </a>⏎⏎")
    let api = try GatewayUnderTest.origin { _ in
      ScriptedResponse([.custom { connection in while true { try connection.send(interim) } }])
    }
    let gateway = try GatewayUnderTest(api: api) { $0.timeouts.responseHead = 300 }
    let client = try gateway.client()
    try client.send(Ask.get())
    let response = client.readResponse(within: .seconds(5))
    expectOwnAnswer(response, 504, "http_response_timeout")
    try api.wait("the upstream's end") { $0.connections[0].isFinished }
  }
}

@Suite("R7: Expect: 100-continue")
struct ExpectTests {
  private let head = Ask.head("/v1/proofs", "Expect: 100-continue⏎", length: 262_144)

  @Test("goes to the upstream, whose 100 comes back; then the content arrives whole (I02)")
  func continues() throws {
    let api = try GatewayUnderTest.origin { _ in .ok(octets("done")) }
    let client = try GatewayUnderTest(api: api).client()
    try client.send(head)
    let response = client.readResponse(to: "POST", within: .seconds(5)) { interim in
      #expect(interim.octets == octets("HTTP/1.1 100 Continue⏎⏎"))
      try client.send(pattern(262_144))
    }
    #expect(response.interim.count == 1)
    #expect(response.content == octets("done"))
    #expect(api.requests[0].head.value("Expect") == "100-continue")
    #expect(api.requests[0].content == pattern(262_144))
  }

  @Test("is never answered by the gateway itself; a client that waits no longer is served")
  func neverMadeUp() throws {
    let api = try ScriptedOrigin(tls: try GatewayUnderTest.originTLS(), answersExpect: false) { _ in .ok() }
    let client = try GatewayUnderTest(api: api).client()
    try client.send(head)
    try api.wait("the head") { $0.requests.count == 1 }
    #expect(client.unexpectedOctets(for: .milliseconds(200)).isEmpty)
    try client.send(pattern(262_144))
    let response = client.readResponse(to: "POST")
    #expect(response.status == 200)
    #expect(response.interim.isEmpty)
  }

  @Test("A final answer instead of 100 comes at once", arguments: [401, 413, 417, 429])
  func refused(_ code: Int) throws {
    let api = try GatewayUnderTest.origin(script: { _ in
      [
        .readHead, .send(octets("HTTP/1.1 \(code) No⏎Retry-After: 5⏎Content-Length: 2⏎⏎no")),
        .closeNotifyAndClose,
      ]
    })
    let client = try GatewayUnderTest(api: api).client()
    try client.send(head)
    let response = client.readResponse(to: "POST", within: .seconds(1))
    #expect(response.status == code)
    #expect(response.values("Retry-After") == ["5"])
    #expect(response.end == .complete)
  }

  @Test("is never added, and a large upload loses no second to it (I04)")
  func neverAdded() throws {
    let api = try GatewayUnderTest.origin { _ in .ok() }
    let content = pattern(1_048_576)
    let client = try GatewayUnderTest(api: api).client()
    let started = ContinuousClock.now
    #expect(try client.exchange(Ask.post(content: content)).status == 200)
    #expect(ContinuousClock.now - started < .milliseconds(950))
    #expect(api.requests[0].head.values("Expect").isEmpty)
    #expect(Octets.difference(expected: content, actual: api.requests[0].content) == nil)
  }
}
