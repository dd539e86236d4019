import GatewayConfig
import ScriptedPeers
import Testing

@Suite("B5: uploads that the client breaks off")
struct BrokenUploadTests {
  /// How the client leaves.
  enum Leaving: String, CaseIterable, Sendable {
    case closeNotifyAndFIN, closeNotifyAlone, finAlone, closeAbruptly, reset

    func leave(_ client: RawClient) {
      switch self {
      case .closeNotifyAndFIN: client.halfClose()
      case .closeNotifyAlone: client.sendCloseNotify()
      case .finAlone: client.sendEnd()
      case .closeAbruptly: client.closeAbruptly()
      case .reset: client.reset()
      }
    }
  }

  static let head = "POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎"
  static let lengthHead = head + "Content-Length: 40000⏎⏎"
  static let chunkedHead = head + "Transfer-Encoding: chunked⏎Trailer: X-Sum⏎⏎"
  static let some = String(repeating: "s", count: 20_000)
  static let mostly = String(repeating: "m", count: 39_999)

  /// What was sent before the client left; the upstream has a head unless `hasHead` is false.
  static let stages: [(id: String, sent: String, hasHead: Bool)] = [
    ("inside the request line", "POST /octet/v1", false), ("inside the head", head + "X-A", false),
    ("before the head's last CRLF", head + "Content-Length: 4⏎", false),
    ("length: behind the head", lengthHead, true), ("length: half-way", lengthHead + some, true),
    ("length: one octet short", lengthHead + mostly, true), ("chunked: behind the head", chunkedHead, true),
    ("chunked: inside a size", chunkedHead + "4e", true),
    ("chunked: behind a size", chunkedHead + "4e20⏎", true),
    ("chunked: inside a chunk", chunkedHead + "9c40⏎" + some, true),
    ("chunked: behind a chunk's octets", chunkedHead + "4e20⏎" + some, true),
    ("chunked: between chunks", chunkedHead + "4e20⏎\(some)⏎", true),
    ("chunked: behind the last size", chunkedHead + "4e20⏎\(some)⏎0", true),
    ("chunked: before the last CRLF", chunkedHead + "4e20⏎\(some)⏎0⏎", true),
    ("chunked: inside the last CRLF", chunkedHead + "4e20⏎\(some)⏎0⏎␍", true),
    ("chunked: inside the trailers", chunkedHead + "4e20⏎\(some)⏎0⏎X-Sum: 9⏎", true),
  ]

  @Test("never look whole upstream", arguments: stages, Leaving.allCases)
  func neverWhole(_ stage: (id: String, sent: String, hasHead: Bool), _ leaving: Leaving) throws {
    let log = try withGateway { gateway, api in
      let client = try gateway.client()
      try client.send(octets(stage.sent))
      if stage.hasHead { try api.wait("the head") { $0.requests.count == 1 } }
      leaving.leave(client)
      if stage.hasHead { try api.waitForEnd(of: 0) }
    }
    #expect(log.completeRequests.isEmpty)
    #expect(log.requests.count == (stage.hasHead ? 1 : 0))
    #expect(Octets.find(octets("⏎0⏎"), in: log.connections.flatMap(\.octets)) == nil)
  }

  @Test(
    "never look whole in the clear either", arguments: [stages[4], stages[11], stages[13]], [false, true])
  func neverWholeInTheClear(_ stage: (id: String, sent: String, hasHead: Bool), _ resets: Bool) throws {
    let log = try withGateway { gateway, api in
      let client = try gateway.plainClient()
      try client.send(octets(stage.sent))
      try api.wait("the head") { $0.requests.count == 1 }
      if resets { client.reset() } else { client.sendEnd() }
      try api.waitForEnd(of: 0)
    }
    #expect(log.completeRequests.isEmpty)
    #expect(Octets.find(octets("⏎0⏎"), in: log.connections.flatMap(\.octets)) == nil)
  }

  @Test(
    "T86 an upload broken off at once, before the upstream is reached, is never sent again",
    arguments: [true, false])
  func brokenOffAtOnce(_ resets: Bool) throws {
    let log = try withGateway { gateway, _ in
      let client = try gateway.client()
      try client.send(octets(Self.lengthHead + Self.some))
      if resets { client.reset() } else { client.closeAbruptly() }
    }
    #expect(log.completeRequests.isEmpty)
    #expect(log.requests.count <= 1)
  }

  @Test("an upload broken off while the upstream does not read is cut too", arguments: [false, true])
  func brokenOffBehindBackPressure(_ isChunked: Bool) throws {
    let script: [OriginStep] = [.readHead, .waitForSignal("read"), .readBody]
    let log = try withGateway(script: script) { gateway, api in
      let client = try gateway.client()
      try client.send(octets(isChunked ? Self.chunkedHead : Self.lengthHead))
      try api.wait("the head") { $0.requests.count == 1 }
      try client.send(octets(isChunked ? "9c40⏎\(Self.mostly)" : Self.mostly))
      client.reset()
      api.signal("read")
      try api.waitForEnd(of: 0)
    }
    #expect(log.completeRequests.isEmpty)
  }

  @Test(
    "C6 the end of the client's side behind a whole request is no breaking off",
    arguments: [Leaving.closeNotifyAndFIN, .closeNotifyAlone], [false, true])
  func endBehindWhole(_ leaving: Leaving, _ isChunked: Bool) throws {
    let sent = isChunked ? Self.chunkedHead + "2⏎ok⏎0⏎X-Sum: 9⏎⏎" : Self.lengthHead + Self.some + Self.some
    let log = try withGateway { gateway, _ in
      let client = try gateway.client()
      try client.send(octets(sent))
      leaving.leave(client)
      expectStatus(client.readResponse(), 200)
    }
    #expect(log.completeRequests.count == 1)
  }
}
