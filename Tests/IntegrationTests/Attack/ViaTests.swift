import GatewayConfig
import ScriptedPeers
import Testing

/// What the directive `via` says, it does in both directions. RFC 9110 section 7.6.3.
@Suite("F4: via = on")
struct ViaTests {
  @Test(
    "adds a line to responses, behind the upstream's own, with the version that was received",
    arguments: [
      ("HTTP/1.1", "Via: 1.0 far⏎", ["1.0 far", "1.1 octet-gateway"]),
      ("HTTP/1.1", "Connection: via⏎Via: 1.0 far⏎", ["1.1 octet-gateway"]),
      ("HTTP/1.0", "", ["1.0 octet-gateway"]),
    ])
  func responses(_ version: String, _ fields: String, _ expected: [String]) throws {
    let literal = octets("HTTP/1.1 103 Early Hints⏎⏎\(version) 200 OK⏎\(fields)Content-Length: 2⏎⏎ok")
    let api = try GatewayUnderTest.origin { _ in .octets(literal) }
    let client = try GatewayUnderTest(api: api) { $0.via = true }.client()
    try client.send(Ask.get())
    var interim: [String] = []
    let response = client.readResponse { interim += $0.values("Via") }
    #expect(response.values("Via") == expected)
    #expect(response.content == octets("ok"))
    #expect(interim.isEmpty)
  }

  @Test("tells the upstream which version the client spoke", arguments: ["1.0", "1.1"])
  func requests(_ version: String) throws {
    let api = try GatewayUnderTest.origin()
    let client = try GatewayUnderTest(api: api) { $0.via = true }.client()
    #expect(
      try client.exchange(octets("GET /octet/v1/flags HTTP/\(version)⏎Host: gw.test⏎⏎")).status == 200)
    #expect(api.requests[0].head.values("Via") == ["\(version) octet-gateway"])
  }

  @Test("off, it adds nothing to responses")
  func off() throws {
    let api = try GatewayUnderTest.origin()
    #expect(try GatewayUnderTest(api: api).client().exchange(Ask.get()).values("Via").isEmpty)
  }
}
