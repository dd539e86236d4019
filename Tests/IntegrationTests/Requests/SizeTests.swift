import GatewayConfig
import ScriptedPeers
import Testing

@Suite("B4: sizes")
struct SizeTests {
  /// Around a TLS record, 64 KiB, 256 KiB raw and as base64 (contradiction C7), and the limit.
  static let sizes = [
    1, 2, 16_383, 16_384, 16_385, 65_535, 65_536, 262_143, 262_144, 262_145, 349_526 + 1024, 1_048_575,
    1_048_576,
  ]

  @Test("B04 B06 T11 C7 every size up to the limit arrives exact", .tags(.report), arguments: sizes)
  func arrivesExact(_ count: Int) throws {
    let body = content(count)
    let head = "POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎"
    let log = try withGateway { gateway, _ in
      let client = try gateway.client()
      let whole = octets(head + "Content-Length: \(count)⏎⏎") + body
      let chunks = octets(head + "Transfer-Encoding: chunked⏎⏎") + chunked(body, by: 16_001)
      for request in [whole, chunks] {
        expectStatus(try client.exchange(request), 200)
        try client.send(request, inPiecesOf: 17 * 1024)
        #expect(client.readResponse().status == 200)
      }
    }
    #expect(log.completeRequests.count == 4)
    let digest = Octets.sha256Hex(body)
    for request in log.requests {
      #expect(request.content.count == count)
      #expect(Octets.sha256Hex(request.content) == digest)
    }
    #expect(log.requests.prefix(2).allSatisfy { $0.head.values("Content-Length") == ["\(count)"] })
    #expect(log.requests.suffix(2).allSatisfy { $0.head.values("Transfer-Encoding") == ["chunked"] })
  }

  @Test("B04 octet by octet", arguments: [257, 16_383, 16_385])
  func octetByOctet(_ count: Int) throws {
    let body = content(count)
    let log = try withGateway { gateway, _ in
      let client = try gateway.client()
      for request in [
        octets("POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎Content-Length: \(count)⏎⏎") + body,
        octets("POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎Transfer-Encoding: chunked⏎⏎")
          + chunked(body, by: 1000),
      ] {
        try client.send(request, inPiecesOf: 1)
        #expect(client.readResponse().status == 200)
      }
    }
    #expect(log.completeRequests.count == 2)
    for request in log.requests { expectEqual(request.content, body) }
  }

  @Test("B04 chunks of one octet", arguments: [1, 2, 4_000])
  func smallChunks(_ count: Int) throws {
    let body = content(count)
    let log = try withGateway { gateway, _ in
      let head = octets("POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎Transfer-Encoding: chunked⏎⏎")
      expectStatus(try gateway.client().exchange(head + chunked(body, by: 1)), 200)
    }
    expectEqual(log.requests[0].content, body)
  }

  @Test("B4 a length over the limit is 413, and the upstream hears nothing", arguments: [0, 100, 1_048_577])
  func lengthOverLimit(_ sent: Int) throws {
    let log = try withGateway { gateway, _ in
      let client = try gateway.client()
      try client.send(
        octets("POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎Content-Length: 1048577⏎⏎") + content(sent))
      expectRefused(client.readResponse(), 413, "B4")
      let rest = try client.readAll()
      #expect(rest.octets.isEmpty)
    }
    #expect(log.connections.allSatisfy { $0.octets.isEmpty })
  }

  @Test("B4 the limit is the configured one, to the octet", arguments: [262_144, 262_145])
  func configuredLimit(_ count: Int) throws {
    let fits = count == 262_144
    let head = "POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎"
    let body = content(count)
    let log = try withGateway {
      $0.limits.requestBody = 262_144
    } _: { gateway, _ in
      for request in [
        octets(head + "Content-Length: \(count)⏎⏎") + body,
        octets(head + "Transfer-Encoding: chunked⏎⏎") + chunked(body, by: 4096),
      ] {
        let client = try gateway.client()
        let response = try client.exchange(request)
        if fits {
          #expect(response.status == 200)
        } else {
          expectRefused(response, 413, "B4")
        }
      }
    }
    #expect(log.completeRequests.count == (fits ? 2 : 0))
  }

  @Test("B4 a chunked upload that grows over the limit is cut on both sides")
  func chunkedOverLimit() throws {
    let script: [OriginStep] = [.readHead, .readChunkedBody]
    let log = try withGateway(script: script) { gateway, api in
      let client = try gateway.client()
      let body = chunked(content(1_048_577), by: 10_000)
      try client.send(octets("POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎Transfer-Encoding: chunked⏎⏎"))
      try client.send(Array(body.prefix(20_000)))
      try api.wait("content upstream") { $0.connections.first.map { $0.octets.count > 15_000 } ?? false }
      try client.send(Array(body.dropFirst(20_000)) + octets("GET /octet/v1/behind HTTP/1.1⏎Host: gw.test⏎⏎"))
      expectRefused(client.readResponse(), 413, "B4")
      #expect(try client.readAll().octets.isEmpty)
    }
    #expect(log.completeRequests.isEmpty)
    #expect(log.requests.count == 1)
    #expect(log.connections[0].end != .open)
  }

  @Test("T34 the limit holds on every first-party route")
  func everyRoute() throws {
    let body = content(1_048_576)
    let log = try withGateway { gateway, _ in
      let head = octets("POST /octet/ext/geo/reverse HTTP/1.1⏎Host: gw.test⏎Content-Length: \(body.count)⏎⏎")
      expectStatus(try gateway.client().exchange(head + body), 200)
    }
    expectEqual(log.requests[0].content, body)
  }

  @Test("B4 I02 a length over the limit is refused before the client sends it, without 100")
  func expectOverLimit() throws {
    let log = try withGateway { gateway, _ in
      let client = try gateway.client()
      try client.send(
        octets("POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎Expect: 100-continue⏎Content-Length: 1048577⏎⏎"))
      let response = client.readResponse()
      #expect(response.interim.isEmpty)
      expectRefused(response, 413, "B4")
    }
    #expect(log.requests.isEmpty)
  }

  @Test("B4 an upload that grows over the limit while its answer runs ends both")
  func overLimitInAnswer() throws {
    let script: [OriginStep] = [
      .readHead, .send(octets("HTTP/1.1 200 OK⏎Content-Length: 10⏎⏎part")), .readChunkedBody,
    ]
    let log = try withGateway(script: script) {
      $0.limits.requestBody = 100_000
    } _: { gateway, _ in
      let client = try gateway.client()
      try client.send(octets("POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎Transfer-Encoding: chunked⏎⏎"))
      while !client.received.suffix(4).elementsEqual(octets("part")) { _ = try client.readSome(1024) }
      try? client.send(chunked(content(100_001), by: 10_000))
      let rest = try client.readAll()
      #expect(rest.octets.isEmpty)
      #expect(rest.end != .clean)
    }
    #expect(log.completeRequests.isEmpty)
  }

  @Test("Z01 trailers over the head's limits cut the upload")
  func largeTrailers() throws {
    let long = "X-T: \(String(repeating: "t", count: 65_536))⏎"
    let many = (0..<201).map { "X-\($0): 1⏎" }.joined()
    for trailers in [long, many] {
      let log = try withGateway { gateway, _ in
        let head = octets("POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎Transfer-Encoding: chunked⏎⏎")
        let response = try gateway.client().exchange(head + chunked(content(10), by: 10, trailers: trailers))
        expectRefused(response, 431, "F6")
      }
      #expect(log.completeRequests.isEmpty)
    }
  }
}
