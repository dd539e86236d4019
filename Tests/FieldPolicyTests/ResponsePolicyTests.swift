import FieldPolicy
import HTTPMessage
import Testing

@Suite("The head that goes to the client (rules R1 to R4, R7 and X1)")
struct ResponsePolicyTests {
  @Test("keeps status, reason, names, order and duplicates, and adds no Date where there is one (R1, R2)")
  func keeps() throws {
    let kept = [
      "server:  x ", "Set-Cookie: a=1", "Date: Thu, 01 Jan 1970 00:00:00 GMT", "Set-Cookie: b", "X-Empty:",
      "Retry-After: 7", "Location: http://x/", "X-Accel-Redirect: /s", "Content-Length: 0",
      "Content-Encoding: gzip",
    ]
    for start in ["HTTP/1.1 503 Slow  down\t!", "HTTP/1.1 429 ", "HTTP/1.1 200", "HTTP/1.1 999 \u{E9}"] {
      #expect(try relayed(responseHead(kept, start: start)) == [start] + kept)
    }
  }

  @Test("writes HTTP/1.1 for an upstream of HTTP/1.0, and chunks what ends with the connection")
  func version10() throws {
    #expect(
      try relayed(responseHead(["X: 1"], start: "HTTP/1.0 200 OK")) == [
        "HTTP/1.1 200 OK", "X: 1", "Transfer-Encoding: chunked", "Date: NOW",
      ])
    #expect(
      try relayed(responseHead([], start: "HTTP/1.1 200"), closes: true) == [
        "HTTP/1.1 200", "Transfer-Encoding: chunked", "Date: NOW", "Connection: close",
      ])
  }

  @Test("drops hop-by-hop lines, what Connection names, and Alt-Svc (R4)")
  func hopByHop() throws {
    let head = try responseHead([
      "connection: x-a, SET-COOKIE, content-length, alt-svc", "Keep-Alive: 5", "X-A: 1",
      "Proxy-Connection: x", "Alt-Svc: h3",
      "TE: x", "Trailer: X", "Upgrade: h2", "Set-Cookie: a", "Content-Length: 0", "X-B: 1", "Date: d",
    ])
    #expect(try relayed(head) == ["HTTP/1.1 200 OK", "Content-Length: 0", "X-B: 1", "Date: d"])
    let altSvc = try responseHead(["Alt-Svc: h3", "Content-Length: 0", "Date: d"])
    let passing = ResponseFieldPolicy(passesAltSvc: true)
    #expect(
      try relayed(altSvc, policy: passing) == [
        "HTTP/1.1 200 OK", "Alt-Svc: h3", "Content-Length: 0", "Date: d",
      ])
    #expect(try !relayed(head, policy: passing).contains("Alt-Svc: h3"))
  }

  @Test("keeps a third party's cookies from the app (X1)")
  func thirdParty() throws {
    let head = try responseHead(["set-cookie: a", "X: 1", "Set-Cookie2: b", "Content-Length: 0", "Date: d"])
    #expect(
      try relayed(head, isThirdParty: true) == ["HTTP/1.1 200 OK", "X: 1", "Content-Length: 0", "Date: d"])
  }

  @Test("frames for the client's version (F10; RFC 9112 section 6.1)")
  func framing() throws {
    let chunked = try responseHead(["transfer-encoding: Chunked", "Date: d"])
    #expect(try relayed(chunked) == ["HTTP/1.1 200 OK", "transfer-encoding: Chunked", "Date: d"])
    #expect(try relayed(chunked, clientMinorVersion: 0) == ["HTTP/1.1 200 OK", "Date: d"])
    #expect(ResponseFieldPolicy.framing(chunked, clientMinorVersion: 0) == .untilClose)
    let toHead = try responseHead(["Transfer-Encoding: chunked", "Date: d"], answersHead: true)
    #expect(try relayed(toHead) == ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Date: d"])
    #expect(try relayed(toHead, clientMinorVersion: 0) == ["HTTP/1.1 200 OK", "Date: d"])
    let noContent = try responseHead(
      ["Transfer-Encoding: chunked", "Date: d"], start: "HTTP/1.1 204 No Content")
    #expect(try relayed(noContent) == ["HTTP/1.1 204 No Content", "Date: d"])
    let length = try responseHead(["Content-Length: 2", "Date: d"])
    #expect(ResponseFieldPolicy.framing(length, clientMinorVersion: 0) == .asDeclared)
    #expect(
      try relayed(length, clientMinorVersion: 0) == ["HTTP/1.1 200 OK", "Content-Length: 2", "Date: d"])
  }

  @Test("relays an interim head without a line of ours (R7)")
  func interim() throws {
    let head = try responseHead(
      ["Link: </a>", "Connection: x", "Transfer-Encoding: chunked", "X: 1", "Set-Cookie: a"],
      start: "HTTP/1.1 103 Early Hints")
    var output: [UInt8] = []
    ResponseFieldPolicy().writeInterim(head, isThirdParty: true, into: &output)
    #expect(try lines(output) == ["HTTP/1.1 103 Early Hints", "Link: </a>"])
    output = []
    ResponseFieldPolicy().writeInterim(
      try responseHead([], start: "HTTP/1.1 100 "), isThirdParty: false, into: &output)
    #expect(output == Array("HTTP/1.1 100 \r\n\r\n".utf8))
  }

  @Test("relays trailer lines by the same rules (R9, R4, X1)")
  func trailerLines() throws {
    let head = try responseHead(["Transfer-Encoding: chunked", "Connection: X-Hop"])
    let section = try trailers([
      "x-sum:  1 ", "Set-Cookie: a", "X-HOP: 1", "Alt-Svc: h3", "Proxy-Authorization: x", "Y:",
    ])
    func written(_ policy: ResponseFieldPolicy, isThirdParty: Bool) throws -> [String] {
      var output: [UInt8] = []
      policy.writeTrailers(section, of: head, isThirdParty: isThirdParty, into: &output)
      return try lines(output)
    }
    let policy = ResponseFieldPolicy()
    #expect(try written(policy, isThirdParty: false) == ["x-sum:  1 ", "Set-Cookie: a", "Y:"])
    #expect(try written(policy, isThirdParty: true) == ["x-sum:  1 ", "Y:"])
    #expect(
      try written(ResponseFieldPolicy(passesAltSvc: true), isThirdParty: true) == [
        "x-sum:  1 ", "Alt-Svc: h3", "Y:",
      ])
  }
}
