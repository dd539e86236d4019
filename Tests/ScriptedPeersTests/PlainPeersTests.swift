import ScriptedPeers
import Testing

@Suite("Peers in the clear")
struct PlainPeersTests {
  @Test("record the literal octets of each request on a kept connection")
  func recordsOctets() throws {
    let origin = try ScriptedOrigin { request in .ok(request.content, fields: ["X-Place: \(request.place)"]) }
    let client = try RawClient(port: origin.port)
    let first = octets(#"POST /v1//a%2Fb?x HTTP/1.1⏎hOST:x⏎X-A:⇥\xFF⏎Content-Length: 3⏎⏎a␀b"#)
    let second = octets("POST /c HTTP/1.1⏎Host: x⏎Transfer-Encoding: chunked⏎⏎3;e=1⏎abc⏎1⏎d⏎0⏎T: 1⏎⏎")
    let one = try client.exchange(first)
    let two = try client.exchange(second)
    #expect(one.content == octets("a␀b"))
    #expect(two.content == octets("abcd"))
    #expect(two.values("x-place") == ["1"])
    #expect(one.end == .complete)
    client.close()
    let connection = try origin.waitForEnd(of: 0)
    #expect(connection.octets == first + second)
    #expect(connection.end == .clean)
    let requests = origin.requests
    #expect(requests.map(\.octets) == [first, second])
    #expect(requests.map(\.target) == ["/v1//a%2Fb?x", "/c"])
    #expect(requests[1].body.trailers == octets("T: 1⏎"))
    #expect(requests[1].body.chunkSizes == [3, 1])
    #expect(origin.log.failures.isEmpty)
  }

  @Test("give the same record whatever the segments", arguments: [1, 2, 7])
  func segments(size: Int) throws {
    let origin = try ScriptedOrigin { _ in .ok() }
    let client = try RawClient(port: origin.port)
    let request = octets("POST / HTTP/1.1⏎Host: x⏎Transfer-Encoding: chunked⏎⏎a⏎0123456789⏎0⏎⏎")
    try client.send(request, inPiecesOf: size)
    #expect(client.readResponse().status == 200)
    #expect(origin.requests.map(\.octets) == [request])
    #expect(origin.requests[0].content == octets("0123456789"))
  }

  @Test("answer pipelined requests in order")
  func pipeline() throws {
    let origin = try ScriptedOrigin { .ok(octets($0.target)) }
    let client = try RawClient(port: origin.port)
    try client.send(octets("GET /1 HTTP/1.1⏎Host: x⏎⏎GET /2 HTTP/1.1⏎Host: x⏎⏎"))
    #expect([client.readResponse(), client.readResponse()].map(\.content) == [octets("/1"), octets("/2")])
  }

  @Test("tell how a response ended")
  func responseEnds() throws {
    let head = octets("HTTP/1.1 200 OK⏎Content-Length: 9⏎⏎abc")
    let endings: [([OriginStep], ResponseEnd)] = [
      ([.send(head), .closeNotifyAndClose], .closedCleanly),
      ([.send(head), .reset], .reset),
      ([.send(octets("HTTP/1.1 200 OK⏎Transfer-Encoding: chunked⏎⏎zz⏎"))], .malformed("")),
      ([.send(octets("HTTP/1.1 200 OK⏎⏎abc")), .closeNotifyAndClose], .closedCleanly),
      ([.send(octets("HTTP/1.1 204 No Content⏎⏎"))], .complete),
      ([.send(head), .waitForSignal("end")], .timedOut),
    ]
    let origin = try ScriptedOrigin(script: { [.readRequest] + endings[$0].0 })
    for (index, (_, end)) in endings.enumerated() {
      let client = try RawClient(port: origin.port)
      try client.send(octets("GET / HTTP/1.1⏎Host: x⏎⏎"))
      let response = client.readResponse(within: index == 5 ? .milliseconds(100) : .seconds(5))
      if case .malformed = end {
        guard case .malformed = response.end else {
          Issue.record("expected a malformed chunk, got \(response.end)")
          continue
        }
      } else {
        #expect(response.end == end, "ending \(index)")
      }
      #expect(response.isWhole == (index == 3 || index == 4), "ending \(index)")
      if index == 0 { #expect(response.content == octets("abc")) }
    }
    origin.signal("end")
  }

  @Test("read HEAD, interim responses and trailers by their rules")
  func framing() throws {
    let origin = try ScriptedOrigin { request in
      request.method == "HEAD"
        ? .octets(octets("HTTP/1.1 200 OK⏎Content-Length: 1488324⏎⏎"))
        : .octets(octets("HTTP/1.1 103 Early⏎A: 1⏎⏎HTTP/1.1 200 ⏎Transfer-Encoding: chunked⏎⏎1⏎x⏎0⏎T: 1⏎⏎"))
    }
    let client = try RawClient(port: origin.port)
    let head = try client.exchange(octets("HEAD / HTTP/1.1⏎Host: x⏎⏎"))
    #expect(head.end == .complete)
    #expect(head.head.contentLength == 1_488_324)
    let response = try client.exchange(octets("GET / HTTP/1.1⏎Host: x⏎⏎"))
    #expect(response.interim.map(\.status) == [103])
    #expect(response.content == octets("x"))
    #expect(response.body.trailers == octets("T: 1⏎"))
    #expect(response.head.reason == "")
    #expect(client.unexpectedOctets(for: .milliseconds(20)) == [])
  }

  @Test("send 100 when the client expects it")
  func expectContinue() throws {
    let origin = try ScriptedOrigin { .ok($0.content) }
    let client = try RawClient(port: origin.port)
    try client.send(octets("POST / HTTP/1.1⏎Host: x⏎Expect: 100-continue⏎Content-Length: 2⏎⏎"))
    let response = client.readResponse(to: "POST", onInterim: { _ in try client.send(octets("ok")) })
    #expect(response.interim.map(\.status) == [100])
    #expect(response.content == octets("ok"))
  }

  @Test("tell how the client ended, and what of a request had come")
  func clientEnds() throws {
    let origin = try ScriptedOrigin { _ in .ok() }
    let cut = octets("POST / HTTP/1.1⏎Host: x⏎Content-Length: 9⏎⏎abc")
    for (index, end) in [ConnectionEnd.clean, .reset].enumerated() {
      let client = try RawClient(port: origin.port)
      try client.send(cut)
      try origin.wait("the octets") { $0.connections.count > index && $0.connections[index].octets == cut }
      if end == .reset { client.reset() } else { client.halfClose() }
      #expect(try origin.waitForEnd(of: index).end == end)
    }
    let log = try origin.wait("both failures") { $0.failures.count == 2 }
    #expect(log.failures.contains(.ended(.reset)))
    #expect(log.requests.map(\.isComplete) == [false, false])
    #expect(log.requests.map(\.content) == [octets("abc"), octets("abc")])
  }

  @Test("report a wait that was too long")
  func timeouts() throws {
    let origin = try ScriptedOrigin(patience: .milliseconds(50), script: { _ in [.readHead] })
    let client = try RawClient(port: origin.port)
    #expect(throws: PeerError.timedOut("1 requests")) {
      try origin.waitForRequests(1, within: .milliseconds(20))
    }
    try origin.wait("the failure") { $0.failures == [.timedOut("a head")] }
    #expect(client.isClosedByPeer())
  }

  @Test("hold still until a signal, so that a writer meets back pressure")
  func backPressure() throws {
    let origin = try ScriptedOrigin(script: { _ in
      [.readHead, .waitForSignal("read"), .readBody, .send(octets("HTTP/1.1 204 ⏎⏎"))]
    })
    let client = try RawClient(port: origin.port)
    let count = 32 << 20
    try client.send(octets("POST / HTTP/1.1⏎Host: x⏎Content-Length: \(count)⏎⏎"))
    #expect(throws: PeerError.self) {
      try client.send([UInt8](repeating: 0x61, count: count), within: .milliseconds(100))
    }
    client.reset()
    origin.signal("read")
    #expect(try origin.waitForEnd(of: 0).end == .reset)
  }

  @Test("come back on the same port", arguments: ["127.0.0.1", "127.0.0.2", "::1"])
  func restart(address: String) throws {
    let origin = try ScriptedOrigin(address: address) { _ in .ok() }
    let request = octets("GET / HTTP/1.1⏎Host: x⏎⏎")
    let client = try RawClient(port: origin.port, address: address)
    #expect(try client.exchange(request).status == 200)
    origin.stop()
    #expect(client.isClosedByPeer())
    #expect(throws: PeerError.self) { try RawClient(port: origin.port, address: address) }
    try origin.restart()
    #expect(try RawClient(port: origin.port, address: address).exchange(request).status == 200)
    #expect(origin.connections.count == 2)
  }

  @Test("dribble octets and note when they came")
  func dribble() throws {
    let response = octets("HTTP/1.1 200 OK⏎Content-Length: 4⏎⏎abcd")
    let origin = try ScriptedOrigin(script: { _ in
      [.readRequest, .sendDribbled(response, size: 10, every: .milliseconds(1)), .closeNotifyAndClose]
    })
    let client = try RawClient(port: origin.port, receiveBuffer: 4096)
    // The next piece leaves when the last has come: no pause is long enough on a busy machine.
    let pieces = ["GET", " / HTTP", "/1.1⏎Host: x⏎⏎"].map { octets($0) }
    var sent = 0
    for piece in pieces {
      try client.send(piece)
      sent += piece.count
      try origin.wait("\(sent) octets") { $0.connections.first?.octets.count == sent }
    }
    #expect(client.readResponse().content == octets("abcd"))
    let connection = try #require(origin.connections.first)
    #expect(connection.octets == pieces.flatMap { $0 })
    #expect(connection.arrivals.map(\.offset) == [0, 3, 10])
    #expect(zip(connection.arrivals, connection.arrivals.dropFirst()).allSatisfy { $0.time < $1.time })
  }

  @Test("run steps of the test's own, and read until the client has ended")
  func customSteps() throws {
    let origin = try ScriptedOrigin(script: { _ in
      [
        .readHead, .readContent(2),
        .custom { connection in try connection.send(octets("HTTP/1.1 200 OK⏎⏎\(connection.index)")) },
        .readUntilEnd, .send(octets("!")), .closeNotifyAndClose,
      ]
    })
    let client = try RawClient(port: origin.port)
    try client.send(octets("POST / HTTP/1.1⏎Host: x⏎⏎abc"))
    #expect(try client.readSome(8) == octets("HTTP/1.1"))
    try client.send(octets("d"))
    client.halfClose()
    let rest = try client.readAll()
    #expect(rest.octets == octets(" 200 OK⏎⏎0!"))
    #expect(rest.end == .clean)
    #expect(client.received == octets("HTTP/1.1 200 OK⏎⏎0!"))
    #expect(origin.requests.map(\.content) == [octets("abcd")])
  }

  @Test("reset what was not read when they close at once")
  func closeAtOnce() throws {
    let origin = try ScriptedOrigin(script: { _ in [.waitForSignal("close"), .closeAtOnce] })
    let client = try RawClient(port: origin.port)
    try client.send(octets("unread"))
    origin.signal("close")
    #expect(client.readResponse().end == .reset)
    #expect(throws: PeerError.self) { try RawClient(port: unusedPort()) }
  }
}
