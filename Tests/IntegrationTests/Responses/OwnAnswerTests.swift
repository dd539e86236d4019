import CLinux
import Gateway
import GatewayConfig
import Glibc
import ScriptedPeers
import Testing

/// A route whose upstream is found by its name alone: no `connect_to`.
private func byName(_ host: String, _ port: UInt16, _ configuration: inout Configuration) {
  configuration.connectTo = []
  configuration.routes = [
    RouteConfiguration(path: "/v1/", upstream: UpstreamURL(isTLS: true, host: host, port: port, path: "/v1/"))
  ]
}

@Suite("G1 G2: the gateway's own answers")
struct OwnAnswerTests {
  @Test("Nobody listens: 502 connection_refused")
  func refused() throws {
    let api = try GatewayUnderTest.origin()
    let port = try unusedPort()
    let client = try GatewayUnderTest(api: api) { $0.connectTo[0].toPort = port }.client()
    let response = try client.exchange(Ask.get())
    expectOwnAnswer(response, 502, "connection_refused")
    // A problem document that says what was wrong, and nothing of the upstream's address.
    let text = String(decoding: response.content, as: UTF8.self)
    #expect(
      text.contains("\"status\":502") && text.contains("\"detail\":\"the upstream refused the connection\""))
    #expect(!text.contains("127.0.0.1") && !text.contains("\(port)"))
    #expect(response.values("Cache-Control") == ["no-store"])
    #expect(response.values("Connection").isEmpty)
    // The connection goes on, and HEAD has no content.
    #expect(try client.exchange(Ask.get(method: "HEAD")).status == 502)
    #expect(try client.exchange(Ask.get()).status == 502)
  }

  @Test("A request that was not read whole is answered, then the connection closes")
  func refusedUpload() throws {
    let port = try unusedPort()
    let client = try GatewayUnderTest(api: try GatewayUnderTest.origin()) {
      $0.connectTo[0].toPort = port
    }.client()
    try client.send(Ask.head(length: 100_000) + pattern(1000))
    let response = client.readResponse(to: "POST", within: .seconds(2))
    expectOwnAnswer(response, 502, "connection_refused")
    #expect(response.values("Connection") == ["close"])
  }

  @Test("TCP is accepted and TLS never begins: 504 connection_timeout")
  func silent() throws {
    var tls = try GatewayUnderTest.originTLS()
    tls.handshake = .silent
    let api = try ScriptedOrigin(tls: tls) { _ in .ok() }
    let response = try GatewayUnderTest(api: api) { $0.timeouts.connect = 300 }.client().exchange(Ask.get())
    expectOwnAnswer(response, 504, "connection_timeout")
  }

  @Test("The name does not resolve: the gateway starts and answers 502 dns_error (D01)")
  func noName() throws {
    let api = try GatewayUnderTest.origin()
    let gateway = try GatewayUnderTest(api: api) { byName("upstream.invalid", 443, &$0) }
    expectOwnAnswer(try gateway.client().exchange(Ask.get()), 502, "dns_error")
  }

  @Test("Retry-After of the upstream is never reused, and 401 and 403 are never made up (S01)")
  func nothingMadeUp() throws {
    let api = try GatewayUnderTest.origin { request in
      switch request.target {
      case "/v1/slow": .status(429, fields: ["Retry-After: 30"])
      case "/v1/bad": .octets(octets("garbage⏎"))
      default: .ok()
      }
    }
    let client = try GatewayUnderTest(api: api) { $0.serverNames = ["gw.test"] }.client()
    #expect(try client.exchange(Ask.get("/v1/slow")).values("Retry-After") == ["30"])
    expectOwnAnswer(try client.exchange(Ask.get("/v1/bad")), 502, "http_protocol_error")
    expectOwnAnswer(try client.exchange(Ask.get("/nowhere")), 404, "destination_not_found")
    expectOwnAnswer(try client.exchange(octets("GET /octet/v1/x HTTP/1.1⏎Host: evil.test⏎⏎")), 421)
    expectOwnAnswer(try client.exchange(Ask.get(method: "TRACE")), 405)
  }

  @Test(
    "on_upstream_failure = reset: a reset, and not one octet",
    arguments: ["refused", "garbage", "cut", "timeout", "certificate"], [true, false])
  func resets(_ how: String, _ overTLS: Bool) throws {
    var tls = try GatewayUnderTest.originTLS()
    if how == "certificate" { tls = try GatewayUnderTest.originTLS("other.test") }
    let api = try ScriptedOrigin(tls: tls) { _ in
      switch how {
      case "garbage": .octets(octets("garbage⏎"))
      case "timeout": ScriptedResponse([.waitForSignal("never")])
      default: ScriptedResponse([.closeAbruptly])
      }
    }
    let port = try unusedPort()
    let gateway = try GatewayUnderTest(api: api) {
      $0.onUpstreamFailure = .reset
      $0.timeouts.responseHead = 200
      if how == "refused" { $0.connectTo[0].toPort = port }
    }
    let client = try overTLS ? gateway.client() : gateway.plainClient()
    let response = try client.exchange(Ask.post(content: [1]))
    #expect(response.end == .reset)
    #expect(client.received.isEmpty)
  }

  @Test("on_upstream_failure = reset leaves refusals and the upstream's own statuses as they are")
  func resetLeaves() throws {
    let api = try GatewayUnderTest.origin { _ in .status(502) }
    let client = try GatewayUnderTest(api: api) { $0.onUpstreamFailure = .reset }.client()
    let response = try client.exchange(Ask.get())
    #expect(response.status == 502 && response.values("Proxy-Status").isEmpty)
    expectOwnAnswer(try client.exchange(Ask.get("/nowhere")), 404)
  }
}

@Suite("U01 D03: what an upstream's name leads to")
struct UpstreamNameTests {
  @Test(
    "A private address behind a name: 502, no packet to it; configured, it is served",
    arguments: [false, true])
  func privateAddress(_ allowed: Bool) throws {
    let api = try GatewayUnderTest.origin("localhost")
    let gateway = try GatewayUnderTest(api: api) {
      byName("localhost", api.port, &$0)
      $0.privateUpstreamAddresses = allowed
    }
    let response = try gateway.client().exchange(Ask.get())
    if allowed {
      #expect(response.status == 200)
      #expect(api.requests[0].head.value("Host") == "localhost:\(api.port)")
      #expect(api.connections[0].hello.serverName == "localhost")
    } else {
      expectOwnAnswer(response, 502, "destination_ip_prohibited")
      #expect(api.connections.isEmpty)
    }
  }

  @Test("A connect_to that names a name is checked as one")
  func connectToName() throws {
    let api = try GatewayUnderTest.origin()
    let gateway = try GatewayUnderTest(api: api) { $0.connectTo[0].toHost = "localhost" }
    expectOwnAnswer(try gateway.client().exchange(Ask.get()), 502, "destination_ip_prohibited")
    #expect(api.connections.isEmpty)
  }

  @Test("One of two addresses refuses: the other is used")
  func oneRefuses() throws {
    let api = try GatewayUnderTest.origin("localhost")
    let gateway = try GatewayUnderTest(api: api) {
      byName("localhost", api.port, &$0)
      $0.privateUpstreamAddresses = true
    }
    #expect(try gateway.client().exchange(Ask.get()).status == 200)
  }

  /// libcurl knows `localhost` as ::1 and 127.0.0.1. A listener on ::1 whose queue is full drops what comes.
  @Test("IPv6 leads nowhere: IPv4 serves within a moment (D03)")
  func blackhole() throws {
    let api = try GatewayUnderTest.origin("localhost")
    var address = sockaddr_storage()
    let length = octet_parse_address("::1", api.port, &address)
    let listener = octet_socket(AF_INET6)
    defer { close(listener) }
    try #require(octet_bind(listener, &address, length) == 0)
    try #require(listen(listener, 0) == 0)
    var fillers: [Int32] = []
    defer { for filler in fillers { close(filler) } }
    for _ in 0..<4 {
      let filler = octet_socket(AF_INET6)
      _ = octet_connect(filler, &address, length)
      fillers.append(filler)
    }
    let gateway = try GatewayUnderTest(api: api) {
      byName("localhost", api.port, &$0)
      $0.privateUpstreamAddresses = true
    }
    let client = try gateway.client()
    let started = ContinuousClock.now
    #expect(try client.exchange(Ask.get()).status == 200)
    #expect(ContinuousClock.now - started < .milliseconds(1500))
  }
}
