import GatewayConfig
import ScriptedPeers
import Testing

@Suite("R6: a malformed or ambiguous response")
struct MalformedResponseTests {
  @Test(
    "is a 502, and its connection is not used again",
    arguments: [
      "HTTP/1.1 200 OK⏎Content-Length: 2⏎Content-Length: 3⏎⏎abc",
      "HTTP/1.1 200 OK⏎Content-Length: 2⏎Content-Length: 2⏎⏎ab",
      "HTTP/1.1 200 OK⏎Content-Length: 2, 2⏎⏎ab",
      "HTTP/1.1 200 OK⏎Content-Length: +2⏎⏎ab",
      "HTTP/1.1 200 OK⏎Content-Length: 0x2⏎⏎ab",
      "HTTP/1.1 200 OK⏎Content-Length: -1⏎⏎ab",
      "HTTP/1.1 200 OK⏎Content-Length:⏎⏎ab",
      "HTTP/1.1 200 OK⏎Content-Length: 18446744073709551618⏎⏎ab",
      "HTTP/1.1 200 OK⏎Content-Length: 2⏎Transfer-Encoding: chunked⏎⏎0⏎⏎",
      "HTTP/1.1 200 OK⏎Transfer-Encoding: gzip, chunked⏎⏎0⏎⏎",
      "HTTP/1.1 200 OK⏎Transfer-Encoding: chunked⏎Transfer-Encoding: chunked⏎⏎0⏎⏎",
      "HTTP/1.1 200 OK⏎Transfer-Encoding: identity⏎⏎ab",
      "HTTP/1.0 200 OK⏎Transfer-Encoding: chunked⏎⏎0⏎⏎",
      "HTTP/1.1 200 OK⏎X-A: one⏎␠two⏎Content-Length: 0⏎⏎",
      "HTTP/1.1 200 OK⏎X-A : one⏎Content-Length: 0⏎⏎",
      "HTTP/1.1 200 OK⏎X A: one⏎Content-Length: 0⏎⏎",
      "HTTP/1.1 200 OK⏎: one⏎Content-Length: 0⏎⏎",
      "HTTP/1.1 200 OK⏎no colon⏎Content-Length: 0⏎⏎",
      "HTTP/1.1 200 OK⏎X-A: a␀b⏎Content-Length: 0⏎⏎",
      "HTTP/1.1 200 OK⏎X-A: a␍b⏎Content-Length: 0⏎⏎",
      "HTTP/1.1 200 OK␊Content-Length: 0␊␊",
      "HTTP/1.1 200 OK⏎X-A: 1␊Content-Length: 0⏎⏎",
      "HTTP/1.1 20 OK⏎Content-Length: 0⏎⏎",
      "HTTP/1.1 099 OK⏎Content-Length: 0⏎⏎",
      "HTTP/1.1 2000 OK⏎Content-Length: 0⏎⏎",
      "HTTP/1.1  200 OK⏎Content-Length: 0⏎⏎",
      "HTTP/2 200⏎Content-Length: 0⏎⏎",
      "HTTP/3.1 200 OK⏎Content-Length: 0⏎⏎",
      "http/1.1 200 OK⏎Content-Length: 0⏎⏎",
      "⏎⏎HTTP/1.1 200 OK⏎Content-Length: 0⏎⏎",
      "SSH-2.0-OpenSSH_9⏎", "\\x00\\x01\\x02\\x03␊", "<html>garbage</html>⏎",
      "HTTP/1.1 101 Switching Protocols⏎Upgrade: h2c⏎Connection: Upgrade⏎⏎",
    ])
  func malformed(_ text: String) throws {
    let api = try GatewayUnderTest.origin { request in
      request.place == 0 && request.connection == 0 ? .octets(octets(text)) : .ok()
    }
    let client = try GatewayUnderTest(api: api).client()
    expectOwnAnswer(try client.exchange(Ask.get()), 502)
    #expect(try client.exchange(Ask.post(content: [1])).status == 200)
    #expect(api.requests.map(\.connection) == [0, 1])
    #expect(try api.waitForEnd(of: 0, within: .seconds(1)).end != .open)
  }

  @Test(
    "after its head is an abort",
    arguments: [
      "5⏎hello⏎zz⏎", "5⏎hello⏎-1⏎", "5⏎hello⏎+3⏎abc⏎0⏎⏎", "5⏎hello⏎0x3⏎abc⏎0⏎⏎", "5⏎hello⏎3 ⏎abc⏎0⏎⏎",
      "5⏎hello⏎3␊abc⏎0⏎⏎", "5⏎helloXX0⏎⏎", "5⏎hello␊0⏎⏎", "5⏎hello⏎FFFFFFFFFFFFFFFFFFFF⏎", "5⏎hello⏎⏎0⏎⏎",
      "5⏎hello⏎0⏎X-T : 1⏎⏎", "5⏎hello⏎0⏎Content-Length: 3⏎⏎", "5⏎hello⏎0⏎ folded⏎⏎", "5⏎hello⏎0␊␊",
    ])
  func badChunk(_ text: String) throws {
    let api = try GatewayUnderTest.origin { request in
      request.connection == 0
        ? .octets(octets("HTTP/1.1 200 OK⏎Transfer-Encoding: chunked⏎⏎" + text)) : .ok()
    }
    let gateway = try GatewayUnderTest(api: api)
    let client = try gateway.client()
    let response = try client.exchange(Ask.get())
    #expect(response.status == 200)
    #expect(!response.isWhole)
    #expect(!client.received.suffix(5).elementsEqual(octets("0⏎⏎")))
    #expect(try gateway.client().exchange(Ask.get()).status == 200)
    #expect(api.requests.map(\.connection) == [0, 1])
  }

  @Test(
    "with octets behind it: they answer nothing, and the connection is not used again",
    arguments: [true, false])
  func surplus(_ atOnce: Bool) throws {
    let first = octets("HTTP/1.1 200 OK⏎Content-Length: 5⏎⏎first")
    let planted = octets("HTTP/1.1 200 OK⏎Content-Length: 7⏎⏎planted")
    let api = try GatewayUnderTest.origin { request in
      if request.connection > 0 { return .ok(octets("second")) }
      return atOnce
        ? .octets(first + planted)
        : ScriptedResponse([.send(first), .waitForSignal("more"), .send(planted), .expectClientEnd])
    }
    let client = try GatewayUnderTest(api: api).client()
    #expect(try client.exchange(Ask.get()).content == octets("first"))
    api.signal("more")
    try api.waitForEnd(of: 0)
    #expect(try client.exchange(Ask.get()).content == octets("second"))
  }

  @Test("Heads are exact up to the limits and a 502 above (Z01)")
  func headLimits() throws {
    let api = try GatewayUnderTest.origin { request in
      switch request.target {
      case "/v1/cookie": .ok(fields: ["Set-Cookie: a=" + String(repeating: "c", count: 20_480)])
      case "/v1/fields": .ok(fields: (0..<101).map { "X-\($0): \($0)" })
      case "/v1/large": .ok(fields: ["X-A: " + String(repeating: "c", count: 120_000)])
      case "/v1/too-large": .ok(fields: ["X-A: " + String(repeating: "c", count: 131_072)])
      default: .ok(fields: (0..<401).map { "X-\($0): \($0)" })
      }
    }
    let client = try GatewayUnderTest(api: api).client()
    #expect(try client.exchange(Ask.get("/v1/cookie")).values("Set-Cookie")[0].utf8.count == 20_482)
    #expect(try client.exchange(Ask.get("/v1/fields")).values("X-100") == ["100"])
    #expect(try client.exchange(Ask.get("/v1/large")).values("X-A")[0].utf8.count == 120_000)
    let tooLarge = "http_response_header_section_size"
    expectOwnAnswer(try client.exchange(Ask.get("/v1/too-large")), 502, tooLarge)
    expectOwnAnswer(try client.exchange(Ask.get("/v1/too-many")), 502, tooLarge)
  }
}
