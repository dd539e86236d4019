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
  struct Stage: Sendable, CustomTestStringConvertible {
    let id: String
    let sent: String
    let hasHead: Bool
    var testDescription: String { id }
  }

  static let stages = [
    Stage(id: "inside the request line", sent: "POST /octet/v1", hasHead: false),
    Stage(id: "inside the head", sent: head + "X-A", hasHead: false),
    Stage(id: "before the head's last CRLF", sent: head + "Content-Length: 4⏎", hasHead: false),
    Stage(id: "length: behind the head", sent: lengthHead, hasHead: true),
    Stage(id: "length: half-way", sent: lengthHead + some, hasHead: true),
    Stage(id: "length: one octet short", sent: lengthHead + mostly, hasHead: true),
    Stage(id: "chunked: behind the head", sent: chunkedHead, hasHead: true),
    Stage(id: "chunked: inside a size", sent: chunkedHead + "4e", hasHead: true),
    Stage(id: "chunked: behind a size", sent: chunkedHead + "4e20⏎", hasHead: true),
    Stage(id: "chunked: inside a chunk", sent: chunkedHead + "9c40⏎" + some, hasHead: true),
    Stage(id: "chunked: behind a chunk's octets", sent: chunkedHead + "4e20⏎" + some, hasHead: true),
    Stage(id: "chunked: between chunks", sent: chunkedHead + "4e20⏎\(some)⏎", hasHead: true),
    Stage(id: "chunked: behind the last size", sent: chunkedHead + "4e20⏎\(some)⏎0", hasHead: true),
    Stage(id: "chunked: before the last CRLF", sent: chunkedHead + "4e20⏎\(some)⏎0⏎", hasHead: true),
    Stage(id: "chunked: inside the last CRLF", sent: chunkedHead + "4e20⏎\(some)⏎0⏎␍", hasHead: true),
    Stage(id: "chunked: inside the trailers", sent: chunkedHead + "4e20⏎\(some)⏎0⏎X-Sum: 9⏎", hasHead: true),
  ]

  @Test("never look whole upstream", arguments: stages, Leaving.allCases)
  func neverWhole(_ stage: Stage, _ leaving: Leaving) throws {
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
  func neverWholeInTheClear(_ stage: Stage, _ resets: Bool) throws {
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
