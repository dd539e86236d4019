import GatewayConfig
import ScriptedPeers
import Testing

@Suite("C4 C7: time")
struct TimeTests {
  private func origin(after pause: Duration) throws -> ScriptedOrigin {
    try GatewayUnderTest.origin { _ in ScriptedResponse([.pause(pause)] + ScriptedResponse.ok().steps) }
  }

  @Test("The documented defaults suit slow activation (O01)")
  func defaults() {
    let times = Timeouts()
    #expect(times.responseHead == 300_000)
    #expect(times.upstreamIdle == 300_000)
    #expect(times.connect == 10_000)
  }

  @Test("A head within response_head_timeout is awaited, one after it is a 504 (O01, O04)")
  func responseHead() throws {
    let slow = try GatewayUnderTest(api: try origin(after: .milliseconds(400))) {
      $0.timeouts.responseHead = 1500
    }
    #expect(try slow.client().exchange(Ask.post(content: [1])).status == 200)
    let api = try GatewayUnderTest.origin { _ in ScriptedResponse([.expectClientEnd]) }
    let client = try GatewayUnderTest(api: api) { $0.timeouts.responseHead = 200 }.client()
    expectOwnAnswer(try client.exchange(Ask.post(content: [1])), 504, "http_response_timeout")
    #expect(api.requests.count == 1)
    // Nor is a GET sent again, on the reused connection or a new one.
    expectOwnAnswer(try client.exchange(Ask.get()), 504, "http_response_timeout")
    #expect(api.requests.count == 2)
    try api.waitForEnd(of: 0)
  }

  @Test("A response may take any time as long as octets flow")
  func slowResponse() throws {
    let literal = octets("HTTP/1.1 200 OK⏎Date: x⏎Content-Length: 10⏎⏎0123456789")
    let api = try GatewayUnderTest.origin { _ in
      ScriptedResponse([.sendDribbled(literal, size: 6, every: .milliseconds(100))])
    }
    let gateway = try GatewayUnderTest(api: api) {
      $0.timeouts.upstreamIdle = 300
      $0.timeouts.responseHead = 5000
      $0.timeouts.requestIdle = 300
      $0.timeouts.responseIdle = 300
    }
    let client = try gateway.client()
    #expect(try client.exchange(Ask.get()).end == .complete)
    #expect(client.received == literal)
  }

  @Test("A response that stalls is cut")
  func stalledResponse() throws {
    let api = try GatewayUnderTest.origin { _ in
      ScriptedResponse([.send(octets("HTTP/1.1 200 OK⏎Content-Length: 10⏎⏎01234")), .waitForSignal("never")])
    }
    let response = try GatewayUnderTest(api: api) { $0.timeouts.upstreamIdle = 200 }.client().exchange(
      Ask.get())
    #expect(response.content == octets("01234"))
    #expect(!response.isWhole)
  }

  @Test("An upload may take any time as long as octets flow (O02)", arguments: [true, false])
  func slowUpload(_ chunked: Bool) throws {
    let api = try GatewayUnderTest.origin()
    let client = try GatewayUnderTest(api: api) {
      $0.timeouts.requestIdle = 300
      $0.timeouts.requestHeader = 400
      $0.timeouts.responseHead = 300
      $0.timeouts.keepAlive = 300
    }.client()
    let request =
      chunked
      ? octets("POST /octet/v1/p HTTP/1.1⏎Host: gw.test⏎Transfer-Encoding: chunked⏎⏎A⏎0123456789⏎0⏎⏎")
      : Ask.post(content: octets("01234567890123456789"))
    let body = request.count - 20
    try client.send(Array(request[..<body]))
    try client.send(Array(request[body...]), inPiecesOf: 1, every: .milliseconds(60))
    #expect(client.readResponse(to: "POST").status == 200)
    #expect(api.requests[0].isComplete)
  }

  @Test("An upload that stalls is a 408, and the upstream's copy is cut (O04)", arguments: ["", "abc"])
  func stalledUpload(_ beginning: String) throws {
    let api = try GatewayUnderTest.origin()
    let client = try GatewayUnderTest(api: api) { $0.timeouts.requestIdle = 200 }.client()
    try client.send(Ask.head(length: 10) + octets(beginning))
    expectOwnAnswer(client.readResponse(to: "POST", within: .seconds(3)), 408)
    try api.waitForEnd(of: 0)
    #expect(api.requests.allSatisfy { !$0.isComplete })
  }

  @Test("An upload that stalls is a 408 although the upstream talks on")
  func stalledUploadWithInterims() throws {
    let api = try GatewayUnderTest.origin(script: { _ in
      [.readHead]
        + (0..<40).flatMap { _ in
          [OriginStep.send(octets("HTTP/1.1 102 Processing⏎⏎")), .pause(.milliseconds(50))]
        }
    })
    let client = try GatewayUnderTest(api: api) { $0.timeouts.requestIdle = 250 }.client()
    try client.send(Ask.head(length: 10))
    let response = client.readResponse(to: "POST", within: .milliseconds(1500))
    #expect(response.status == 408)
  }

  @Test(
    "A head may drip within request_header_timeout, and is a 408 after it (O02)", arguments: [true, false])
  func drippingHead(_ inTime: Bool) throws {
    let api = try GatewayUnderTest.origin()
    let client = try GatewayUnderTest(api: api) { $0.timeouts.requestHeader = inTime ? 8000 : 300 }.client()
    // One octet at a time would last about a second.
    _ = try? client.send(Ask.get(), inPiecesOf: 1, every: .milliseconds(20))
    let response = client.readResponse(within: .seconds(3))
    if inTime {
      #expect(response.status == 200)
    } else {
      expectOwnAnswer(response, 408)
      #expect(api.connections.isEmpty)
    }
  }

  @Test("Connections without a request are closed without an octet")
  func idle() throws {
    let api = try GatewayUnderTest.origin()
    let gateway = try GatewayUnderTest(api: api) {
      $0.timeouts.requestHeader = 200
      $0.timeouts.keepAlive = 200
      $0.timeouts.tlsHandshake = 200
    }
    let served = try gateway.client()
    #expect(try served.exchange(Ask.get()).status == 200)
    let silent = [try gateway.client(), try gateway.plainClient(), try RawClient(port: gateway.tlsPort)]
    for client in silent {
      #expect(client.isClosedByPeer(within: .seconds(2)))
      #expect(client.received.isEmpty)
    }
    #expect(served.isClosedByPeer(within: .seconds(2)))
  }

  @Test("A client that takes nothing is let go, and the upstream with it", arguments: [true, false])
  func deafClient(_ overTLS: Bool) throws {
    let piece = pattern(65_536)
    let api = try GatewayUnderTest.origin { _ in
      ScriptedResponse([
        .send(octets("HTTP/1.1 200 OK⏎Content-Length: 1000000000⏎⏎")),
        .custom { connection in while true { try connection.send(piece) } },
      ])
    }
    let gateway = try GatewayUnderTest(api: api) { $0.timeouts.responseIdle = 250 }
    let client = try overTLS ? gateway.client(receiveBuffer: 4096) : gateway.plainClient(receiveBuffer: 4096)
    try client.send(Ask.get())
    try api.wait("the upstream's end", within: .seconds(4)) { $0.connections.first?.isFinished == true }
    #expect(!client.readResponse(within: .seconds(4)).isWhole)
  }

  @Test("An upload that was held up once may then take any time")
  func heldUpOnce() throws {
    let first = 12_000_000
    let api = try GatewayUnderTest.origin(script: { _ in
      [
        .readHead, .waitForSignal("read"), .readContent(first + 5),
        .send(octets("HTTP/1.1 200 OK⏎Content-Length: 0⏎⏎")),
      ]
    })
    let client = try GatewayUnderTest(api: api) {
      $0.timeouts.upstreamIdle = 600
      $0.limits.requestBody = 100_000_000
    }.client()
    try client.send(Ask.head(length: first + 5))
    try api.wait("the head") { $0.requests.count == 1 }
    onThread {
      // Until all buffers are full, and the gateway has seen that.
      _ = Monitor(()).wait(Deadline(within: .milliseconds(300))) { nil as Bool? }
      api.signal("read")
    }
    try client.send([UInt8](repeating: 1, count: first))
    try api.wait("the first part") { ($0.connections[0].octets.count) > first }
    try client.send(octets("12345"), inPiecesOf: 1, every: .milliseconds(200))
    #expect(client.readResponse(to: "POST").status == 200)
  }

  @Test("An upstream that takes nothing of an upload is a 504")
  func deafUpstream() throws {
    let api = try GatewayUnderTest.origin(script: { _ in [.readHead, .waitForSignal("never")] })
    let client = try GatewayUnderTest(api: api) {
      $0.timeouts.upstreamIdle = 300
      $0.limits.requestBody = 100_000_000
    }.client()
    try client.send(Ask.head(length: 50_000_000))
    // As much as all buffers take; then the client can't write on and reads.
    _ = try? client.send([UInt8](repeating: 1, count: 20_000_000), within: .seconds(3))
    let response = client.readResponse(to: "POST", within: .seconds(3))
    expectOwnAnswer(response, 504, "connection_write_timeout")
  }
}
