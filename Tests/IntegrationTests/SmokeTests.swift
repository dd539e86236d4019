import ScriptedPeers
import Testing

@Suite("A request through the gateway")
struct SmokeTests {
  @Test("arrives octet for octet, but for target and Host")
  func arrivesExact() throws {
    let api = try GatewayUnderTest.origin { _ in .ok(octets("{}"), fields: ["X-R: \u{e9}"]) }
    let gateway = try GatewayUnderTest(api: api)
    let client = try gateway.client()
    let response = try client.exchange(
      octets("POST /octet/v1/proofs/a%2Fb?x=1&x= HTTP/1.1⏎hOst: gw.test⏎X-A:  1 ⏎Content-Length: 2⏎x-a:⏎⏎{}"))
    #expect(response.status == 200)
    #expect(
      api.requests[0].octets
        == octets(
          "POST /v1/proofs/a%2Fb?x=1&x= HTTP/1.1⏎hOst: api.octetproof.com⏎X-A:  1 ⏎Content-Length: 2⏎x-a:⏎⏎{}"
        ))
    #expect(api.connections[0].hello.serverName == "api.octetproof.com")
  }
}
