import FieldPolicy
import HTTPMessage
import Testing

@Suite("The head that goes upstream (rules F1 to F5 and X1; RFC 9110 section 7.6.1)")
struct RequestPolicyTests {
  let start = "GET /v1/flags?a=1 HTTP/1.1"
  let host = "Host: api.octetproof.com"

  @Test("keeps every line, and adds none (F1, F2, F4)")
  func keeps() throws {
    let before = [
      "x-B:  1 ", "X-Empty:", "X_Odd!#$%&'*+^|~.`: 2", "x-b: 1", "Cookie: a", "Expect: 100-continue",
    ]
    let after = [
      "Authorization: Bearer t1, t2 \"x\"", "Content-Type: a/b", "X-Octet-Key: k", "Date: d", "Via: 1.1 x",
    ]
    let head = try requestHead(before + ["hOST:gw.test"] + after)
    #expect(try forwarded(head) == [start] + before + ["hOST: api.octetproof.com"] + after)
  }

  @Test("writes HTTP/1.1 and one Host whatever the client's version (F5)")
  func version() throws {
    let head = try requestHead(["Host: gw.test"], start: "m!X /octet/v1/ HTTP/1.0")
    #expect(try forwarded(head) == ["m!X /v1/ HTTP/1.1", host])
  }

  @Test("keeps the framing field as it came (B2)")
  func framing() throws {
    let length = try requestHead(
      ["Host: a", "content-length:  007 "], start: "POST /octet/v1/flags?a=1 HTTP/1.1")
    #expect(try forwarded(length).last == "content-length:  007 ")
    let chunked = try requestHead(
      ["Connection: transfer-encoding, close", "transfer-Encoding: CHUNKED", "Host: a"])
    #expect(try forwarded(chunked) == [start, "transfer-Encoding: CHUNKED", host])
  }

  @Test("drops hop-by-hop lines and what Connection names, in any case and from all lines (F3)")
  func hopByHop() throws {
    let head = try requestHead([
      "CONNECTION: close, x-A", "Host: gw.test", "Keep-Alive: 5", "Proxy-Connection: x", "X-a: 1",
      "X-A-B: kept",
      "Proxy-Authorization: Basic x", "Trailer: X-Sum", "upgrade: h2c", "HTTP2-Settings: AA", "X-B: 1",
      "x-a:",
      "connection: , X-b ,,cookie", "Cookie: a", "Connection:", "Last: 1",
    ])
    #expect(try forwarded(head) == [start, host, "X-A-B: kept", "Last: 1"])
  }

  @Test("sends TE on as trailers, once, where the client takes them (F3)")
  func te() throws {
    #expect(
      try forwarded(requestHead(["tE: gzip;q=1, trailers", "Host: a", "TE: trailers"])) == [
        start, "tE: trailers", host,
      ])
    #expect(try forwarded(requestHead(["TE: gzip", "Host: a"])) == [start, host])
    #expect(
      try forwarded(requestHead(["TE: gzip", "Host: a", "te: Trailers"])) == [start, "TE: trailers", host])
    #expect(
      try forwarded(requestHead(["Connection: TE", "TE: trailers", "Host: a"])) == [
        start, "TE: trailers", host,
      ])
  }

  @Test(
    "refuses a Connection that names what must arrive (F3)",
    arguments: [
      "host", "HOST", "Content-Length", "close, content-length", "x, Authorization", "content-type",
      "X-Octet-Key",
      "content-encoding",
    ])
  func nominations(value: String) throws {
    let head = try requestHead(["Host: a", "Connection: \(value)"])
    #expect(
      throws: Refusal(
        400, "F3", "Connection names Host, Authorization, X-Octet-* or a Content-* field, which must arrive")
    ) {
      try RequestFieldPolicy().examine(head)
    }
  }

  @Test(
    "lets every other Connection pass",
    arguments: ["", "close", "keep-alive, Upgrade, TE", "x-a", "hosts", "\"host\""])
  func harmlessNominations(value: String) throws {
    #expect(throws: Never.self) {
      try RequestFieldPolicy().examine(requestHead(["Host: a", "Connection: \(value)"]))
    }
  }

  @Test("shows a third party no secret (X1)")
  func thirdParty() throws {
    let head = try requestHead([
      "authorization: Bearer x", "Host: gw.test", "COOKIE: a", "Cookie2: b", "X-Octet-Key: k", "x_octet_v: 1",
      "X-OctetProof-Token: t", "Proxy-Authorization: x", "Accept: */*", "If-Range: x",
    ])
    #expect(try forwarded(head, isThirdParty: true) == [start, host, "Accept: */*", "If-Range: x"])
  }

  @Test("adds Via and Forwarded at the end when asked to (F4; RFC 7239)")
  func added() throws {
    let policy = RequestFieldPolicy(added: AddedFields(via: true, forwarded: true))
    let head = try requestHead(["Host: gw.test:8443", "Via: 1.0 a", "Forwarded: for=x"])
    #expect(
      try forwarded(head, policy: policy) == [
        start, host, "Via: 1.0 a", "Forwarded: for=x", "Via: 1.1 octet-gateway",
        "Forwarded: for=192.0.2.1;proto=https;host=\"gw.test:8443\"",
      ])
    let client = ClientIdentity(address: "2001:db8::1", isTLS: false)
    #expect(
      try forwarded(head, policy: policy, client: client).last
        == "Forwarded: for=\"[2001:db8::1]\";proto=http;host=\"gw.test:8443\"")
  }

  @Test("relays trailer lines but hop-by-hop ones, those Connection names, and a third party's secrets")
  func trailerLines() throws {
    let head = try requestHead(["Host: a", "Connection: X-Hop"])
    let section = try trailers([
      "X-Sum:  9 ", "x-hop: 1", "Proxy-Authorization: x", "Authorization: x", "X-Octet-A: 1", "Cookie: c",
      "x-sum:",
    ])
    #expect(
      try written(section, head, isThirdParty: false) == [
        "X-Sum:  9 ", "Authorization: x", "X-Octet-A: 1", "Cookie: c", "x-sum:",
      ])
    #expect(try written(section, head, isThirdParty: true) == ["X-Sum:  9 ", "x-sum:"])
    #expect(try written(FieldSection(), head, isThirdParty: true).isEmpty)
  }

  private func written(
    _ section: FieldSection, _ head: RequestHead, isThirdParty: Bool
  ) throws -> [String] {
    var output: [UInt8] = []
    RequestFieldPolicy().writeTrailers(section, of: head, isThirdParty: isThirdParty, into: &output)
    return try lines(output)
  }
}
