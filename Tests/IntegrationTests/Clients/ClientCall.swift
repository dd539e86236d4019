import ScriptedPeers

/// One request that every real client sends, and what the upstream answers.
struct ClientCall: Sendable {
  enum Content: Sendable {
    /// Neither content nor, where the client can do so, a length.
    case none
    case length([UInt8])
    /// The client is not told how much there is.
    case stream([UInt8])
  }

  let name: String
  let method: String
  /// After the gateway's prefix.
  let target: String
  var fields: [String] = []
  var content = Content.none
  var answer: ScriptedResponse = .ok(octets("{}"), fields: ["Date: Mon, 30 Nov 2026 12:00:00 GMT"])

  var contentOctets: [UInt8] {
    switch content {
    case .none: []
    case .length(let octets), .stream(let octets): octets
    }
  }

  private static let date = "Date: Mon, 30 Nov 2026 12:00:00 GMT"
  private static let token = "Authorization: Bearer synthetic-token-1"
  private static let json = "Content-Type: application/json"

  /// Octets that no text codec survives, different at each place.
  static func proof(_ count: Int) -> [UInt8] {
    var state: UInt32 = 1
    return (0..<count).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(state >> 24)
    }
  }

  /// `{"tokens": [1, 2, 3]}`, compressed.
  static let compressed = octets(
    #"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\x2a\xc9\xcf\x4e\xcd\x2b\x56\xb2\x52\x88\x36\xd4\x51\x30"#
      + #"\xd2\x51\x30\x8e\xad\x05\x00\x56\xfc\x76\x83\x15\x00\x00\x00"#)

  static let all: [ClientCall] = [
    ClientCall(
      name: "odd-target", method: "GET",
      target: "/v1/a%2Fb/%E2%82%AC;p=1/~!$&()*+,=:@-._/x?q=%41+%20&&empty=&q=2&", fields: [token]),
    ClientCall(
      name: "json", method: "POST", target: "/v1/metrics", fields: [json, token, "X-Octet-App: 1"],
      content: .length(octets(#"{"a": 1,⇥"b":"é\x5Cu0000"  ,␊"c":[ ]}⏎"#))),
    ClientCall(
      name: "proof", method: "POST", target: "/v1/proofs",
      fields: ["Content-Type: application/octet-stream", token],
      content: .length(proof(262_144))),
    ClientCall(name: "mint", method: "POST", target: "/v1/token", fields: [token]),
    ClientCall(
      name: "stream", method: "POST", target: "/v1/proofs?stream=1",
      fields: ["Content-Type: application/octet-stream"], content: .stream(proof(200_003))),
    ClientCall(
      name: "escapes", method: "GET", target: "/ext/geo/at?lat=59.3%2C18&x=%7B%7D&p=%25&s=a%20b+c&e=%C3%A9"),
    ClientCall(
      name: "head", method: "HEAD", target: "/v1/status",
      answer: ScriptedResponse([.send(octets("HTTP/1.1 200 OK⏎\(date)⏎Content-Length: 5⏎⏎"))])),
    ClientCall(
      name: "gzip", method: "GET", target: "/v1/tokens", fields: ["Accept-Encoding: gzip"],
      answer: .ok(
        compressed, fields: [date, json, "Content-Encoding: gzip", "Vary: Accept-Encoding", "ETag: \"a-1\""])),
    ClientCall(
      name: "redirect", method: "GET", target: "/v1/moved",
      answer: .status(
        302, "Found", fields: [date, "Location: https://api.octetproof.com/v1/elsewhere?a=b#c"],
        content: octets("over there"))),
    ClientCall(
      name: "limited", method: "POST", target: "/v1/limited", fields: [json],
      content: .length(octets("{}")),
      answer: .status(
        429, "Too Many Requests", fields: [date, "Retry-After: 37", json],
        content: octets(#"{"error": "slow down"}"#))),
    ClientCall(
      name: "chunked-answer", method: "GET", target: "/v1/list",
      answer: .octets(
        octets("HTTP/1.1 200 OK⏎\(date)⏎Transfer-Encoding: chunked⏎⏎3⏎abc⏎2;x=1⏎de⏎0⏎⏎"))),
    ClientCall(
      name: "no-content", method: "DELETE", target: "/v1/tokens/1", fields: [token],
      answer: .octets(octets("HTTP/1.1 204 No Content⏎\(date)⏎⏎"))),
  ]

  /// Answers requests to `prefix` as the calls say.
  static func answers(prefix: String) -> @Sendable (RecordedRequest) -> ScriptedResponse {
    { request in
      let path = { (target: String) in String(target.prefix { $0 != "?" }) }
      let call = all.first { path(prefix + $0.target) == path(request.target) }
      // Only a client that spells the target differently comes here: the odd one.
      return (call ?? all[0]).answer
    }
  }
}
