import ScriptedPeers
import Testing

@Suite("T to B: however the octets are cut")
struct SegmentTests {
  static let sent = octets(
    "⏎POST /octet/v1/a%2Fb?x HTTP/1.1⏎hOst: gw.test⏎Connection: X-H⏎X-H: 1⏎X-A:  1 ⏎Transfer-Encoding: chunked⏎⏎"
      + "3;e=\"v\"⏎abc⏎0a⏎0123456789⏎0⏎X-Sum: 9⏎⏎")
  static let head = octets(
    "POST /v1/a%2Fb?x HTTP/1.1⏎hOst: api.octetproof.com⏎X-A:  1 ⏎Transfer-Encoding: chunked⏎⏎")

  private func expectExact(_ requests: [RecordedRequest], _ count: Int) {
    #expect(requests.count == count)
    for request in requests {
      expectEqual(request.head.octets, Self.head)
      expectEqual(request.content, octets("abc0123456789"))
      expectEqual(request.body.trailers, octets("X-Sum: 9⏎"))
    }
  }

  @Test("a request cut in two at any place is the same")
  func everyCut() throws {
    let cuts = Array(1..<Self.sent.count)
    let log = try withGateway { gateway, _ in
      let client = try gateway.client()
      for cut in cuts {
        try client.send(Self.sent, cutAt: [cut])
        expectStatus(client.readResponse(), 200)
      }
    }
    expectExact(log.completeRequests, cuts.count)
  }

  @Test("octet by octet, and many in one write", arguments: [1, 2, 7, 1000, 100_000])
  func pieces(_ size: Int) throws {
    let log = try withGateway { gateway, _ in
      let client = try gateway.client()
      try client.send(Self.sent + Self.sent + Self.sent + Self.sent, inPiecesOf: size)
      for _ in 0..<4 { expectStatus(client.readResponse(), 200) }
    }
    expectExact(log.completeRequests, 4)
  }

  @Test("in the clear it is the same", arguments: [1, 100_000])
  func inTheClear(_ size: Int) throws {
    let log = try withGateway { gateway, _ in
      let client = try gateway.plainClient()
      try client.send(Self.sent + Self.sent, inPiecesOf: size)
      for _ in 0..<2 { expectStatus(client.readResponse(), 200) }
    }
    expectExact(log.completeRequests, 2)
  }

  static let refused: [RefusalCase] =
    Array(HeadRefusalTests.lines.prefix(8)) + Array(HeadRefusalTests.starts.prefix(6))
    + Array(FramingRefusalTests.heads.prefix(8)) + Array(TargetRefusalTests.unsafe.suffix(8))

  @Test("a refused head is refused octet by octet too", arguments: refused)
  func refusedInPieces(_ row: RefusalCase) throws { try row.check(inPiecesOf: 1) }

  @Test("behind good requests a bad one is refused, and what follows it is not read")
  func goodBadGood() throws {
    let good = { (name: String) in octets("GET /octet/v1/\(name) HTTP/1.1⏎Host: gw.test⏎⏎") }
    let log = try withGateway { gateway, _ in
      let client = try gateway.client()
      try client.send(
        good("a") + good("b") + octets("POST /octet/v1/c HTTP/1.1⏎Host: gw.test⏎Content-Length: +1⏎⏎x")
          + good("d"))
      expectStatus(client.readResponse(), 200)
      expectStatus(client.readResponse(), 200)
      expectRefused(client.readResponse(), 400, "B3")
      #expect(try client.readAll().octets.isEmpty)
    }
    #expect(log.requests.map(\.target) == ["/v1/a", "/v1/b"])
  }
}
