import GatewayConfig
import ScriptedPeers
import Testing

@Suite("C5: a client that leaves")
struct LeavingClientTests {
  @Test("while it waits ends the upstream exchange", arguments: ["reset", "plain reset", "no close_notify"])
  func waiting(_ how: String) throws {
    let api = try GatewayUnderTest.origin(script: { _ in [.readRequest, .expectClientEnd] })
    let gateway = try GatewayUnderTest(api: api)
    let client = try how == "plain reset" ? gateway.plainClient() : gateway.client()
    try client.send(Ask.post(content: [1]))
    try api.waitForRequests(1)
    if how == "no close_notify" { client.closeAbruptly() } else { client.reset() }
    try api.waitForEnd(of: 0, within: .seconds(1))
  }

  @Test("while it reads ends the upstream exchange within a second (K02)", arguments: [true, false])
  func reading(_ overTLS: Bool) throws {
    let piece = pattern(16_384)
    let api = try GatewayUnderTest.origin { _ in
      ScriptedResponse([
        .send(octets("HTTP/1.1 200 OK⏎Content-Length: 1000000000⏎⏎")),
        .custom { connection in while true { try connection.send(piece) } },
      ])
    }
    let gateway = try GatewayUnderTest(api: api)
    let client = try overTLS ? gateway.client() : gateway.plainClient()
    try client.send(Ask.get())
    while client.received.count < 65_536 { _ = try client.readSome(65_536) }
    client.reset()
    try api.wait("the upstream's end", within: .seconds(1)) { $0.connections[0].isFinished }
  }

  @Test(
    "inside its upload ends it too, and the upstream's copy is not whole",
    arguments: ["close", "no close_notify", "reset"], [true, false])
  func uploading(_ how: String, _ chunked: Bool) throws {
    let api = try GatewayUnderTest.origin()
    let client = try GatewayUnderTest(api: api).client()
    try client.send(
      chunked
        ? octets("POST /octet/v1/p HTTP/1.1⏎Host: gw.test⏎Transfer-Encoding: chunked⏎⏎5⏎hello⏎")
        : Ask.head(length: 10) + octets("hello"))
    try api.wait("some of the request") { $0.requests.count == 1 }
    switch how {
    case "close": client.close()
    case "reset": client.reset()
    default: client.closeAbruptly()
    }
    try api.waitForEnd(of: 0, within: .seconds(1))
    #expect(!api.requests[0].isComplete)
  }

  @Test("before the upstream is reached leaves nothing behind")
  func connecting() throws {
    var tls = try GatewayUnderTest.originTLS()
    tls.handshake = .silent
    let api = try ScriptedOrigin(tls: tls) { _ in .ok() }
    let gateway = try GatewayUnderTest(api: api)
    let client = try gateway.client()
    try client.send(Ask.get())
    try api.waitForConnections(1)
    client.reset()
    // The gateway serves on; a stale completion would end it.
    let other = try gateway.client()
    try other.send(Ask.get())
    try api.waitForConnections(2)
  }
}

@Suite("C6: requests on one connection")
struct PipeliningTests {
  private func echo() throws -> ScriptedOrigin {
    try GatewayUnderTest.origin { request in
      let steps = ScriptedResponse.ok(Array(request.target.utf8) + request.content).steps
      return ScriptedResponse((request.target.hasSuffix("slow") ? [.pause(.milliseconds(50))] : []) + steps)
    }
  }

  @Test("are answered in order, each with its own answer (K04)", arguments: [1, 7, 1000, 100_000])
  func pipelined(_ pieces: Int) throws {
    let gateway = try GatewayUnderTest(api: try echo())
    let client = try gateway.client()
    var all: [UInt8] = []
    for number in 0..<12 {
      all += Ask.get("/v1/\(number)" + (number % 5 == 0 ? "slow" : ""))
      all += Ask.post("/v1/p\(number)", content: octets(" content \(number)"))
      all +=
        octets("POST /octet/v1/c\(number) HTTP/1.1⏎Host: gw.test⏎Transfer-Encoding: chunked⏎⏎1⏎x⏎0⏎⏎")
    }
    try client.send(all, inPiecesOf: pieces)
    for number in 0..<12 {
      #expect(client.readResponse().content == octets("/v1/\(number)" + (number % 5 == 0 ? "slow" : "")))
      #expect(client.readResponse().content == octets("/v1/p\(number) content \(number)"))
      #expect(client.readResponse().content == octets("/v1/c\(number)x"))
    }
  }

  @Test("A refused one does not hold up its neighbours, a malformed one ends the connection")
  func refusals() throws {
    let api = try echo()
    let client = try GatewayUnderTest(api: api).client()
    try client.send(
      Ask.get("/v1/a") + Ask.get("/nowhere") + Ask.get("/v1/b")
        + octets("GET /octet/v1/c HTTP/1.1⏎Bad Name: x⏎⏎") + Ask.get("/v1/d"))
    #expect(client.readResponse().content == octets("/v1/a"))
    expectOwnAnswer(client.readResponse(), 404)
    #expect(client.readResponse().content == octets("/v1/b"))
    expectOwnAnswer(client.readResponse(), 400)
    #expect(client.isClosedByPeer())
    #expect(api.requests.map(\.target) == ["/v1/a", "/v1/b"])
  }

  @Test(
    "A client that has ended its side gets its answers (half-close)",
    arguments: ["FIN", "close_notify", "close_notify and FIN"], [1, 3])
  func halfClosed(_ how: String, _ count: Int) throws {
    let api = try echo()
    let gateway = try GatewayUnderTest(api: api)
    let client = try how == "FIN" ? gateway.plainClient() : gateway.client()
    let requests = (0..<count).flatMap { Ask.get("/v1/\($0)slow") }
    try client.send(requests)
    switch how {
    case "FIN": client.sendEnd()
    case "close_notify": client.sendCloseNotify()
    default: client.halfClose()
    }
    for number in 0..<count {
      let response = client.readResponse(within: .seconds(3))
      #expect(response.end == .complete)
      #expect(response.content == octets("/v1/\(number)slow"))
    }
    #expect(client.isClosedByPeer(within: .seconds(2)))
  }

  @Test(
    "A client that ends its side while it waits gets its answer", arguments: ["FIN", "close_notify and FIN"])
  func halfClosedLater(_ how: String) throws {
    let api = try GatewayUnderTest.origin { _ in
      ScriptedResponse([.waitForSignal("go")] + ScriptedResponse.ok(octets("ok")).steps)
    }
    let gateway = try GatewayUnderTest(api: api)
    let client = try how == "FIN" ? gateway.plainClient() : gateway.client()
    try client.send(Ask.post(content: [1]))
    try api.waitForRequests(1)
    how == "FIN" ? client.sendEnd() : client.halfClose()
    #expect(client.unexpectedOctets(for: .milliseconds(100)).isEmpty)
    #expect(api.connections[0].end == .open)
    api.signal("go")
    #expect(client.readResponse(to: "POST", within: .seconds(2)).content == octets("ok"))
  }

  @Test("requests_per_connection closes in order")
  func requestsPerConnection() throws {
    let gateway = try GatewayUnderTest(api: try echo()) { $0.limits.requestsPerConnection = 2 }
    let client = try gateway.client()
    #expect(try client.exchange(Ask.get("/v1/1")).values("Connection").isEmpty)
    #expect(try client.exchange(Ask.get("/v1/2")).values("Connection") == ["close"])
    #expect(client.isClosedByPeer(within: .seconds(1)))
  }
}
