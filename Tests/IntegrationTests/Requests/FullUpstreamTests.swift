import GatewayConfig
import ScriptedPeers
import Testing

@Suite("B6 R8: a request whose upstream was full when its last octet came")
struct FullUpstreamTests {
  /// More than socket buffers hold, so that the upstream's side is blocked when the client has sent all.
  private static let size = 12 << 20

  @Test("ends with its last octet: its answer is no early one, and the connection goes on")
  func endsWithItsLastOctet() throws {
    let content = [UInt8](repeating: 0x78, count: FullUpstreamTests.size)
    let ok = octets("HTTP/1.1 200 OK⏎Content-Length: 2⏎⏎ok")
    let api = try GatewayUnderTest.origin(script: { _ in
      [.readHead, .waitForSignal("read"), .readBody, .send(ok), .readRequest, .send(ok)]
    })
    defer { api.stop() }
    let gateway = try GatewayUnderTest(api: api) { $0.limits.requestBody = 16 << 20 }
    let client = try gateway.client()
    let head = octets("POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎Content-Length: \(content.count)⏎⏎")
    onThread {
      _ = try? api.wait("the head") { !$0.requests.isEmpty }
      api.signal("read")
    }
    try client.send(head + content)
    let first = try client.readResponse(to: "POST")
    #expect(first.status == 200)
    #expect(first.values("Connection").isEmpty)
    let second = try client.exchange(octets("GET /octet/v1/flags HTTP/1.1⏎Host: gw.test⏎⏎"))
    #expect(second.status == 200)
    #expect(api.connections.count == 1)
    #expect(api.requests[0].content == content)
  }
}
