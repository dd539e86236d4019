import GatewayConfig
import ScriptedPeers
import Testing

@Suite("R3: a response without content")
struct NoContentTests {
  /// Sends `method` twice on one connection; both answers must be `text`, at once, over one upstream connection.
  @Test(
    "is framed by the rules and its connections go on (N01, N02)",
    arguments: [
      ("HEAD", "HTTP/1.1 200 OK⏎Date: x⏎Content-Length: 1488324⏎⏎"),
      ("HEAD", "HTTP/1.1 200 OK⏎Date: x⏎Transfer-Encoding: chunked⏎⏎"),
      ("HEAD", "HTTP/1.1 200 OK⏎Date: x⏎⏎"),
      ("HEAD", "HTTP/1.1 404 No⏎Date: x⏎Content-Length: 12⏎⏎"),
      ("GET", "HTTP/1.1 204 No Content⏎Date: x⏎⏎"),
      ("GET", "HTTP/1.1 304 Not Modified⏎Date: x⏎ETag: \"x\"⏎Content-Length: 900⏎⏎"),
      ("GET", "HTTP/1.1 304 Not Modified⏎Date: x⏎⏎"),
      ("GET", "HTTP/1.1 200 OK⏎Date: x⏎Content-Length: 0⏎⏎"),
      ("GET", "HTTP/1.1 200 OK⏎Date: x⏎Transfer-Encoding: chunked⏎⏎0⏎⏎"),
    ])
  func reusable(_ method: String, _ text: String) throws {
    let api = try GatewayUnderTest.origin { _ in .octets(octets(text)) }
    let client = try GatewayUnderTest(api: api).client()
    for _ in 0..<2 {
      let response = try client.exchange(Ask.get(method: method), within: .seconds(2))
      #expect(response.end == .complete)
      #expect(response.content.isEmpty)
    }
    #expect(client.received == octets(text) + octets(text))
    #expect(api.connections.count == 1)
  }

  @Test("keeps known lengths as lengths (F09)", arguments: [0, 1, 47, 48, 100_000])
  func length(_ count: Int) throws {
    let api = try GatewayUnderTest.origin { _ in .ok(pattern(count)) }
    let response = try GatewayUnderTest(api: api).client().exchange(Ask.get())
    #expect(response.values("Content-Length") == ["\(count)"])
    #expect(response.values("Transfer-Encoding").isEmpty)
    #expect(response.content == pattern(count))
  }

  @Test(
    "that has octets behind it all the same gives none of them to the client",
    arguments: [
      ("GET", "HTTP/1.1 204 No Content⏎Content-Length: 5⏎⏎hello"),
      ("GET", "HTTP/1.1 304 Not Modified⏎Content-Length: 5⏎⏎hello"),
      ("HEAD", "HTTP/1.1 200 OK⏎Content-Length: 5⏎⏎hello"),
    ])
  func surplus(_ method: String, _ text: String) throws {
    let api = try GatewayUnderTest.origin { request in
      request.method == "PUT" ? .ok(octets("second")) : .octets(octets(text))
    }
    let client = try GatewayUnderTest(api: api).client()
    #expect(try client.exchange(Ask.get(method: method)).content.isEmpty)
    #expect(try client.exchange(Ask.get(method: "PUT")).content == octets("second"))
    #expect(api.requests.map(\.connection) == [0, 1])
  }

  @Test("204 never carries Transfer-Encoding to the client")
  func noCoding() throws {
    let api = try GatewayUnderTest.origin { _ in
      .octets(octets("HTTP/1.1 204 No Content⏎Transfer-Encoding: chunked⏎⏎"))
    }
    let response = try GatewayUnderTest(api: api).client().exchange(Ask.get())
    #expect(response.status == 204)
    #expect(response.values("Transfer-Encoding").isEmpty)
  }
}

@Suite("R4: hop-by-hop fields of a response")
struct ResponseHopByHopTests {
  private let fields = [
    "Connection: X-Hop, Keep-Alive", "connection: x-other", "X-Hop: 1", "X-OTHER: 2", "Keep-Alive: timeout=5",
    "Proxy-Connection: keep-alive", "Upgrade: h2c", "Trailer: X-T", "TE: trailers",
    "Alt-Svc: h3=\":443\"; ma=86400", "X-End: 3",
  ]

  @Test("are removed, Alt-Svc with them; the others stay")
  func removed() throws {
    let fields = fields
    let api = try GatewayUnderTest.origin { _ in .ok(fields: ["Date: x"] + fields) }
    let response = try GatewayUnderTest(api: api).client().exchange(Ask.get())
    #expect(response.head.octets == octets("HTTP/1.1 200 OK⏎Date: x⏎X-End: 3⏎Content-Length: 0⏎⏎"))
  }

  @Test("pass_alt_svc keeps Alt-Svc")
  func altSvc() throws {
    let fields = fields
    let api = try GatewayUnderTest.origin { _ in .ok(fields: fields) }
    let response = try GatewayUnderTest(api: api) { $0.passAltSvc = true }.client().exchange(Ask.get())
    #expect(response.values("Alt-Svc") == ["h3=\":443\"; ma=86400"])
  }

  @Test("close ends the upstream's connection and not the client's")
  func closes() throws {
    let api = try GatewayUnderTest.origin { _ in
      ScriptedResponse.ok(octets("ok"), fields: ["Connection: close"]).thenClose
    }
    let client = try GatewayUnderTest(api: api).client()
    for _ in 0..<3 {
      let response = try client.exchange(Ask.post(content: [1]))
      #expect(response.content == octets("ok"))
      #expect(response.values("Connection").isEmpty)
    }
    #expect(api.requests.map(\.connection) == [0, 1, 2])
  }
}
