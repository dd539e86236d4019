import GatewayConfig
import ScriptedPeers
import Testing

@Suite("Faults: an upstream that fails")
struct UpstreamFaultTests {
  private static let stages: [(String, [OriginStep], Int)] = [
    ("before a head", [], 502),
    ("inside a head", [.send(octets("HTTP/1.1 200 OK⏎Content-L"))], 502),
    ("after an interim head", [.send(octets("HTTP/1.1 103 Early⏎⏎"))], 502),
    ("after a head", [.send(octets("HTTP/1.1 200 OK⏎Content-Length: 9⏎⏎"))], 200),
    ("inside content", [.send(octets("HTTP/1.1 200 OK⏎Content-Length: 9⏎⏎abc"))], 200),
    ("inside a chunk", [.send(octets("HTTP/1.1 200 OK⏎Transfer-Encoding: chunked⏎⏎9⏎abc"))], 200),
    ("between chunks", [.send(octets("HTTP/1.1 200 OK⏎Transfer-Encoding: chunked⏎⏎3⏎abc⏎"))], 200),
    ("inside trailers", [.send(octets("HTTP/1.1 200 OK⏎Transfer-Encoding: chunked⏎⏎0⏎X-T: "))], 200),
    ("without framing", [.send(octets("HTTP/1.1 200 OK⏎⏎abc"))], 200),
  ]

  @Test("resets: never a whole response, and the gateway serves on", arguments: stages, [true, false])
  func resets(_ stage: (String, [OriginStep], Int), _ readsRequest: Bool) throws {
    let api = try GatewayUnderTest.origin(script: { index in
      guard index == 0 else { return [.readRequest, .send(octets("HTTP/1.1 200 OK⏎Content-Length: 0⏎⏎"))] }
      return [readsRequest ? .readRequest : .readHead] + stage.1 + [.pause(.milliseconds(30)), .reset]
    })
    let gateway = try GatewayUnderTest(api: api)
    let response = try gateway.client().exchange(Ask.post(content: pattern(readsRequest ? 10 : 200_000)))
    // A reset can take octets with it that the gateway had not read: then nothing, or a 502, is left.
    #expect(response.status == stage.2 || response.status == 502, "\(stage.0)")
    #expect(response.status == 502 || !response.isWhole)
    #expect(try gateway.client().exchange(Ask.get()).end == .complete)
  }

  @Test(
    "hangs: 504 in time, or an abort",
    arguments: ["in TLS", "before a head", "inside a head", "inside content"])
  func hangs(_ stage: String) throws {
    var tls = try GatewayUnderTest.originTLS()
    if stage == "in TLS" { tls.handshake = .silent }
    let api = try ScriptedOrigin(
      tls: tls,
      script: { _ in
        switch stage {
        case "inside a head": [.readRequest, .send(octets("HTTP/1.1 200 OK⏎Cont"))]
        case "inside content": [.readRequest, .send(octets("HTTP/1.1 200 OK⏎Content-Length: 9⏎⏎abc"))]
        default: [.readRequest]
        }
      })
    let gateway = try GatewayUnderTest(api: api) {
      $0.timeouts.connect = 250
      $0.timeouts.responseHead = 250
      $0.timeouts.upstreamIdle = 250
    }
    let response = try gateway.client().exchange(Ask.post(content: [1]), within: .seconds(4))
    if stage == "inside content" {
      #expect(response.content == octets("abc") && !response.isWhole)
    } else {
      expectOwnAnswer(response, 504)
    }
    #expect(api.requests.count == (stage == "in TLS" ? 0 : 1))
  }

  @Test("never ends its head: a 502 at the limit", arguments: ["X-A: ", "HTTP/1.1 200 ", "X: y⏎"])
  func endlessHead(_ piece: String) throws {
    let start = piece.hasPrefix("HTTP") ? [] : octets("HTTP/1.1 200 OK⏎")
    let more = octets(piece) + (piece.hasSuffix("⏎") ? [] : pattern(1000).map { _ in UInt8(ascii: "a") })
    let api = try GatewayUnderTest.origin { _ in
      ScriptedResponse([
        .send(start), .custom { connection in while true { try connection.send(more) } },
      ])
    }
    let response = try GatewayUnderTest(api: api).client().exchange(Ask.get())
    #expect(response.status == 502)
    try api.wait("the upstream's end") { $0.connections[0].isFinished }
  }

  @Test("restarts under load: no GET fails, and no POST arrives twice")
  func restarts() throws {
    let api = try GatewayUnderTest.origin { request in .ok(Array(request.target.utf8)) }
    let gateway = try GatewayUnderTest(api: api)
    let isOver = Monitor(false)
    let served = Monitor(0)
    onThread {
      for round in 1...4 {
        // Some requests between restarts, counted rather than timed.
        _ = served.wait(Deadline(within: .seconds(4))) { $0 >= round * 60 ? true : nil }
        try? api.restart()
      }
      isOver.change { $0 = true }
    }
    let ports = (gateway.tlsPort, gateway.plainPort)
    let caFile = gateway.authority.caFile
    let failed = Monitor([String]())
    try inParallel(4) { thread in
      var client: RawClient?
      var number = 0
      while !isOver.read({ $0 }) {
        number += 1
        let name = "/v1/\(thread)-\(number)"
        let isPost = number % 2 == 0
        if client == nil {
          client =
            try thread % 2 == 0
            ? RawClient(port: ports.0, tls: ClientTLS(caFile: caFile, serverName: "gw.test"))
            : RawClient(port: ports.1)
        }
        guard let used = client else { return }
        let response = try used.exchange(isPost ? Ask.post(name, content: octets("x")) : Ask.get(name))
        served.change { $0 += 1 }
        if response.end != .complete || response.values("Connection") == ["close"] { client = nil }
        if response.status == 200 {
          if response.content != octets(name) { failed.change { $0.append("\(name): another's answer") } }
        } else if !isPost {
          failed.change {
            $0.append("\(name): \(response.status) \(response.end) \(response.values("Proxy-Status"))")
          }
        }
      }
    }
    // Between stop and restart nobody listens; only that may fail a GET.
    let lost = failed.read { $0 }.filter {
      !$0.contains("connection_refused") && !$0.contains("tls_protocol_error")
    }
    let unexplained = lost.filter {
      !$0.contains("connection_terminated") && !$0.contains("http_response_incomplete")
    }
    #expect(unexplained == [])
    let posts = api.requests.filter { $0.method == "POST" }.map(\.target)
    #expect(Set(posts).count == posts.count)
    #expect(posts.count > 20)
  }

  @Test("restarts between requests: nothing fails, GET or POST")
  func restartsIdle() throws {
    let api = try GatewayUnderTest.origin { _ in .ok(octets("ok")) }
    let client = try GatewayUnderTest(api: api).client()
    for round in 0..<5 {
      #expect(try client.exchange(Ask.get("/v1/\(round)")).status == 200)
      try api.restart()
      #expect(try client.exchange(Ask.post("/v1/\(round)", content: [1])).status == 200)
      try api.restart()
    }
  }
}
