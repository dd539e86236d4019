import GatewayConfig
import ScriptedPeers
import Testing

/// A TLS connection without a close_notify looks cut off to its client. RFC 8446 section 6.1.
@Suite("C7: an idle client connection that the gateway ends")
struct IdleEndTests {
  @Test("ends with close_notify over TLS, with FIN in the clear", arguments: [true, false])
  func timedOut(_ isTLS: Bool) throws {
    let gateway = try GatewayUnderTest(api: GatewayUnderTest.origin()) {
      $0.timeouts.keepAlive = 100
      $0.timeouts.requestHeader = 100
    }
    let client = isTLS ? try gateway.client() : try gateway.plainClient()
    #expect(try client.exchange(Ask.get()).status == 200)
    #expect(try client.readAll().end == .clean)
    // The same before the first request.
    #expect(try (isTLS ? gateway.client() : gateway.plainClient()).readAll().end == .clean)
  }

  @Test("and one whose client ended its side first, before or after an answer", arguments: [true, false])
  func halfClosed(_ isAnswered: Bool) throws {
    let gateway = try GatewayUnderTest(api: GatewayUnderTest.origin())
    let client = try gateway.client()
    if isAnswered { try client.send(Ask.get()) }
    client.halfClose()
    if isAnswered { #expect(client.readResponse().status == 200) }
    #expect(try client.readAll().end == .clean)
  }
}
