import ScriptedPeers
import Testing

@Suite("B3: framing that is refused")
struct FramingRefusalTests {
  static let heads: [RefusalCase] = [
    RefusalCase.post(
      "X01 length with chunked", "Content-Length: 6⏎Transfer-Encoding: chunked⏎", "0⏎⏎X", "B3"),
    .post("X01 chunked with length", "Transfer-Encoding: chunked⏎Content-Length: 6⏎", "0⏎⏎X", "B3"),
    .post("X01 chunked with length 0", "Transfer-Encoding: chunked⏎Content-Length: 0⏎", "0⏎⏎", "B3"),
    .post("X06 empty length", "Content-Length:⏎", "", "B3"),
    .post("X06 two lengths", "Content-Length: 5⏎Content-Length: 6⏎", "12345", "B3"),
    .post("X06 two equal lengths", "Content-Length: 5⏎Content-Length: 5⏎", "12345", "B3"),
    .post("X06 a list", "Content-Length: 5, 5⏎", "12345", "B3"),
    .post("X06 a plus", "Content-Length: +5⏎", "12345", "B3"),
    .post("B3 a minus", "Content-Length: -1⏎", "", "B3"),
    .post("X06 hexadecimal", "Content-Length: 0x5⏎", "12345", "B3"),
    .post("X06 a letter behind", "Content-Length: 5a⏎", "12345", "B3"),
    .post("X06 2 to the 64", "Content-Length: 18446744073709551616⏎", "", "B3"),
    .post("X06 2 to the 64 and 5", "Content-Length: 18446744073709551621⏎", "12345", "B3"),
    .post("X06 2 to the 63", "Content-Length: 9223372036854775808⏎", "", "B3"),
    .post("X06 a fraction", "Content-Length: 5.0⏎", "12345", "B3"),
    .post("X06 an exponent", "Content-Length: 1e1⏎", "1234567890", "B3"),
    .post("X06 an inner space", "Content-Length: 1 0⏎", "1234567890", "B3"),
    .post("X06 an underscore", "Content-Length: 1_0⏎", "1234567890", "B3"),
    .post("X06 another script's digit", #"Content-Length: \xD9\xA5⏎"#, "12345", "B3"),
    .post("X06 quoted", "Content-Length: \"5\"⏎", "12345", "B3"),
    .post("B3 gzip, chunked", "Transfer-Encoding: gzip, chunked⏎", "0⏎⏎", "B3"),
    .post("B3 chunked, gzip", "Transfer-Encoding: chunked, gzip⏎", "0⏎⏎", "B3"),
    .post("B3 chunked twice in a line", "Transfer-Encoding: chunked, chunked⏎", "0⏎⏎", "B3"),
    .post("B3 chunked in two lines", "Transfer-Encoding: chunked⏎Transfer-Encoding: chunked⏎", "0⏎⏎", "B3"),
    .post("B3 chunked and an empty line", "Transfer-Encoding: chunked⏎Transfer-Encoding:⏎", "0⏎⏎", "B3"),
    .post("B3 a list of one", "Transfer-Encoding: , chunked⏎", "0⏎⏎", "B3"),
    .post("B3 identity", "Transfer-Encoding: identity⏎", "", "B3"),
    .post("B3 identity with a length", "Transfer-Encoding: identity⏎Content-Length: 1⏎", "1", "B3"),
    .post("B3 xchunked", "Transfer-Encoding: xchunked⏎", "0⏎⏎", "B3"),
    .post("B3 a parameter", "Transfer-Encoding: chunked;q=1⏎", "0⏎⏎", "B3"),
    .post("B3 quoted", "Transfer-Encoding: \"chunked\"⏎", "0⏎⏎", "B3"),
    .post("B3 no value", "Transfer-Encoding:⏎", "", "B3"),
    .post("B3 a vertical tab", #"Transfer-Encoding: \x0Bchunked⏎"#, "0⏎⏎", "F6"),
    RefusalCase(
      "B3 chunked on HTTP/1.0",
      "POST /octet/v1/a HTTP/1.0⏎Host: gw.test⏎Transfer-Encoding: chunked⏎⏎0⏎⏎", 400, "B3"),
    RefusalCase(
      "B3 GET with both",
      "GET /octet/v1/a HTTP/1.1⏎Host: gw.test⏎Content-Length: 4⏎Transfer-Encoding: chunked⏎⏎",
      400, "B3"),
  ]

  @Test("a head with bad framing fields reaches nobody", .tags(.report), arguments: heads)
  func badHead(_ row: RefusalCase) throws { try row.check() }

  static let chunks: [(id: String, body: String)] = [
    ("X03 LF alone behind a size", "3␊abc⏎0⏎⏎"), ("X03 LF alone in the last chunk", "0␊␊"),
    ("X03 LF alone behind the content", "3⏎abc␊0⏎⏎"), ("X03 LF alone ends the trailers", "3⏎abc⏎0⏎␊"),
    ("X03 a plus", "+3⏎abc⏎0⏎⏎"), ("B3 a minus", "-3⏎abc⏎0⏎⏎"), ("X03 0x", "0x3⏎abc⏎0⏎⏎"),
    ("X03 a space behind", "3␠⏎abc⏎0⏎⏎"), ("X03 a space before", "␠3⏎abc⏎0⏎⏎"),
    ("X03 a tab behind", "3⇥⏎abc⏎0⏎⏎"),
    ("X03 a space before the extension", "3 ;a⏎abc⏎0⏎⏎"), ("X03 20 digits", "00000000000000000003⏎abc⏎0⏎⏎"),
    ("X03 2 to the 64 and 3", "10000000000000003⏎abc⏎0⏎⏎"), ("B3 no size", "⏎abc⏎0⏎⏎"),
    ("B3 no digit", "g⏎abc⏎0⏎⏎"),
    ("B3 an extension without a size", ";a=b⏎0⏎⏎"), ("B3 an underscore", "0_3⏎abc⏎0⏎⏎"),
    ("B3 no CRLF behind the content", "3⏎abcd⏎0⏎⏎"), ("B3 too little content", "3⏎ab⏎0⏎⏎"),
    ("B3 a bare CR behind a size", "3␍abc⏎0⏎⏎"), ("B3 CR CR LF", "3␍⏎abc⏎0⏎⏎"),
    ("B3 LF in an extension", "3;a␊b⏎abc⏎0⏎⏎"), ("B3 NUL in an extension", "3;a␀⏎abc⏎0⏎⏎"),
    ("B3 a trailer without colon", "0⏎X⏎⏎"), ("B3 a folded trailer", "0⏎X: a⏎ b⏎⏎"),
    ("B3 Content-Length in the trailers", "0⏎Content-Length: 3⏎⏎"),
    ("B3 Transfer-Encoding in the trailers", "0⏎Transfer-Encoding: chunked⏎⏎"),
    ("B3 Host in the trailers", "0⏎Host: evil.test⏎⏎"),
    ("B3 Connection in the trailers", "0⏎Connection: close⏎⏎"),
    ("B3 an extension of 17 KiB", "3;\(String(repeating: "e", count: 17_000))⏎abc⏎0⏎⏎"),
  ]

  @Test("a bad chunk ends both sides, and nothing behind it is read", .tags(.report), arguments: chunks)
  func badChunk(_ id: String, _ body: String) throws {
    let head = octets("POST /octet/v1/metrics HTTP/1.1⏎Host: gw.test⏎Transfer-Encoding: chunked⏎⏎")
    let behind = octets("GET /octet/v1/behind HTTP/1.1⏎Host: gw.test⏎⏎")
    // In one write, and with the bad octets in a write of their own, when the upstream has the head.
    for waits in [false, true] {
      let log = try withGateway { gateway, api in
        let client = try gateway.client()
        try client.send(waits ? head : head + octets(body) + behind)
        if waits {
          try api.wait("the head") { $0.requests.count == 1 }
          try client.send(octets(body) + behind)
        }
        let response = client.readResponse()
        #expect(response.status == 400)
        #expect(response.values("Content-Type") == ["application/problem+json"])
        let rest = try client.readAll()
        #expect(rest.octets.isEmpty)
      }
      #expect(log.completeRequests.isEmpty)
      #expect(log.requests.count <= 1)
      let seen = log.connections.flatMap(\.octets)
      #expect(Octets.find(octets("behind"), in: seen) == nil)
      #expect(Octets.find(octets("0⏎⏎"), in: seen) == nil)
    }
  }

  @Test("B3 the octets behind a refused length are its content, never a request")
  func refusedForOtherReasons() throws {
    let inner = "GET /octet/v1/inner HTTP/1.1⏎Host: gw.test⏎⏎"
    let count = octets(inner).count
    try RefusalCase(
      "404 with content", "POST /octet/none HTTP/1.1⏎Host: gw.test⏎Content-Length: \(count)⏎⏎\(inner)", 404,
      "T1"
    ).check()
    try RefusalCase(
      "400 with content", "POST /octet/v1/a%00 HTTP/1.1⏎Host: gw.test⏎Content-Length: \(count)⏎⏎\(inner)",
      400,
      "T3"
    ).check()
  }
}
