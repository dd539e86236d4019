import GatewayConfig
import ScriptedPeers
import Testing

private let date = "Date: Sun, 06 Nov 1994 08:49:37 GMT⏎"

@Suite("R1 R2: a response of the upstream")
struct ExactResponseTests {
  /// What the client received, octet for octet, when the upstream sent `literal` to a GET.
  private func relayed(_ literal: [UInt8]) throws -> [UInt8] {
    let api = try GatewayUnderTest.origin { _ in .octets(literal) }
    let client = try GatewayUnderTest(api: api).client()
    _ = try client.exchange(Ask.get())
    return client.received
  }

  @Test(
    "arrives octet for octet",
    arguments: [
      // Names' case, order, white space around values, empty values, duplicates, obs-text.
      "HTTP/1.1 200 OK⏎\(date)sERVER:  x/1 ⏎X-R: \\xE9⏎x-r:⏎X_R: Jos\\xC3\\xA9⏎X.!#$: 2⏎Content-Length: 2⏎⏎ok",
      // Reason phrases: none, odd, not ASCII.
      "HTTP/1.1 200 ⏎\(date)Content-Length: 0⏎⏎",
      "HTTP/1.1 200 Fine  by \\xE9 me⏎\(date)Content-Length: 0⏎⏎",
      // Lines that must not be joined; fields meant for another proxy are no orders to this one.
      "HTTP/1.1 200 OK⏎\(date)Set-Cookie: a=1; Expires=Wed, 01 Jan 2031 00:00:00 GMT⏎Set-Cookie: b=2⏎Content-Length: 0⏎⏎",
      "HTTP/1.1 401 No⏎\(date)WWW-Authenticate: Bearer⏎WWW-Authenticate: Basic realm=\"x\"⏎Content-Length: 0⏎⏎",
      "HTTP/1.1 200 OK⏎\(date)X-Accel-Redirect: /secret⏎X-Sendfile: /etc/passwd⏎Content-Length: 2⏎⏎ok",
      "HTTP/1.1 200 OK⏎\(date)Cache-Control: private, max-age=0⏎Age: 3⏎Via: 1.1 far⏎Content-Length: 0⏎⏎",
      // Validators and codings are the upstream's business.
      "HTTP/1.1 200 OK⏎\(date)ETag: \"abc\"⏎Vary: Accept-Encoding⏎Content-Length: 0⏎⏎",
      "HTTP/1.1 200 OK⏎\(date)Content-Encoding: gzip⏎Content-Length: 5⏎⏎\\x1F\\x8B\\x08␀!",
      "HTTP/1.1 200 OK⏎\(date)Content-Encoding: br⏎Content-Length: 3⏎⏎\\x0B\\x02\\x80",
      "HTTP/1.1 206 Partial Content⏎\(date)Content-Range: bytes 100-103/900⏎Content-Length: 4⏎⏎abcd",
      // Gateway-like answers of the upstream stay the upstream's.
      "HTTP/1.1 502 Bad Gateway⏎\(date)Proxy-Status: far; error=dns_error⏎Content-Length: 0⏎⏎",
    ])
  func exact(_ text: String) throws {
    let literal = octets(text)
    let actual = try relayed(literal)
    #expect(Octets.difference(expected: literal, actual: actual) == nil)
  }

  @Test(
    "keeps its status code, whatever it is",
    arguments: [
      200, 201, 202, 226, 299, 300, 400, 401, 403, 404, 408, 409, 413, 418, 421, 429, 451, 499, 500, 501,
    ]
      + [502, 503, 504, 511, 599, 600, 999])
  func status(_ code: Int) throws {
    let literal = octets("HTTP/1.1 \(code) Some Reason⏎\(date)Content-Length: 2⏎⏎no")
    #expect(try relayed(literal) == literal)
  }

  @Test(
    "keeps Retry-After in either form (S01)",
    arguments: [
      (429, "30"), (429, "Wed, 21 Oct 2065 07:28:00 GMT"), (429, "0"), (503, "120"), (200, "7"),
      (413, "soon"),
    ])
  func retryAfter(_ code: Int, _ value: String) throws {
    let literal = octets("HTTP/1.1 \(code) Slow⏎\(date)retry-AFTER: \(value)⏎Content-Length: 0⏎⏎")
    #expect(try relayed(literal) == literal)
  }

  @Test("gets a Date only where there is none")
  func dateAdded() throws {
    let api = try GatewayUnderTest.origin { _ in .octets(octets("HTTP/1.1 200 OK⏎Content-Length: 0⏎⏎")) }
    let response = try GatewayUnderTest(api: api).client().exchange(Ask.get())
    #expect(response.head.fieldLines.count == 2)
    #expect(response.values("Content-Length") == ["0"])
    let value = try #require(response.values("Date").first)
    #expect(value.hasSuffix(" GMT") && value.utf8.count == 29)
  }

  @Test(
    "keeps every octet of its content at buffers' edges (B04)",
    arguments: [1, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537, 262_143, 262_144, 1_048_577],
    [0, 1, 2])
  func content(_ count: Int, _ kind: Int) throws {
    let content = pattern(count)
    let api = try GatewayUnderTest.origin { _ in
      switch kind {
      case 0: return .ok(content)
      case 1:
        // Chunks that end where no buffer does.
        var body: [UInt8] = []
        for start in stride(from: 0, to: count, by: 17_001) {
          let chunk = content[start..<min(count, start + 17_001)]
          body += octets("\(String(chunk.count, radix: 16))⏎") + chunk + octets("⏎")
        }
        return .octets(octets("HTTP/1.1 200 OK⏎Transfer-Encoding: chunked⏎⏎") + body + octets("0⏎⏎"))
      default:
        return ScriptedResponse([
          .send(octets("HTTP/1.1 200 OK⏎⏎")), .send(content), .closeNotifyAndClose,
        ])
      }
    }
    let gateway = try GatewayUnderTest(api: api)
    for client in [try gateway.client(), try gateway.plainClient()] {
      let response = try client.exchange(Ask.get())
      #expect(response.isWhole)
      #expect(Octets.difference(expected: content, actual: response.content) == nil)
    }
  }

  @Test("written in single octets is put together (B04)")
  func dribbled() throws {
    let literal = octets("HTTP/1.1 200 OK⏎\(date)Transfer-Encoding: chunked⏎⏎5⏎hello⏎3;x=y⏎abc⏎0⏎X-T: 1⏎⏎")
    let api = try GatewayUnderTest.origin { _ in
      ScriptedResponse([.sendDribbled(literal, size: 1, every: .milliseconds(1))])
    }
    let response = try GatewayUnderTest(api: api).client().exchange(Ask.get())
    #expect(response.end == .complete)
    #expect(response.content == octets("helloabc"))
    #expect(response.body.trailers.isEmpty)
  }

  @Test("to a conditional or range request is the upstream's own (E02, E03)")
  func conditional() throws {
    let api = try GatewayUnderTest.origin { request in
      request.head.value("Range") == "bytes=100-199" && request.head.value("Accept-Encoding") == "gzip"
        && request.head.value("If-None-Match") == "\"abc\""
        ? .status(206, "Partial Content", fields: ["Content-Range: bytes 100-199/900"], content: pattern(100))
        : .status(500)
    }
    let response = try GatewayUnderTest(api: api).client().exchange(
      Ask.get("/v1/f", "Range: bytes=100-199⏎Accept-Encoding: gzip⏎If-None-Match: \"abc\"⏎"))
    #expect(response.status == 206)
    #expect(response.values("Content-Range") == ["bytes 100-199/900"])
    #expect(response.content == pattern(100))
  }
}

@Suite("R1: a redirect on a first-party route")
struct FirstPartyRedirectTests {
  @Test("passes with its Location; nobody follows it (S04, S06)", arguments: [301, 302, 303, 307, 308, 300])
  func passes(_ code: Int) throws {
    let other = try GatewayUnderTest.origin("other.test")
    let api = try GatewayUnderTest.origin { request in
      request.target == "/v1/start"
        ? .status(code, fields: ["Location: https://other.test:\(other.port)/x?q=1", "X-A: 1"]) : .ok()
    }
    let gateway = try GatewayUnderTest(api: api) {
      $0.privateUpstreamAddresses = true
      $0.connectTo.append(.init(host: "other.test", port: nil, toHost: other.address, toPort: other.port))
    }
    let response = try gateway.client().exchange(
      Ask.get("/v1/start", "Authorization: Bearer t⏎X-Octet-Device: d⏎"))
    #expect(response.status == code)
    #expect(response.values("Location") == ["https://other.test:\(other.port)/x?q=1"])
    #expect(api.requests.count == 1)
    #expect(other.connections.isEmpty)
  }
}
