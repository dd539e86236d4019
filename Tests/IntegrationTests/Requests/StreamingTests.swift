import GatewayConfig
import ScriptedPeers
import Testing

@Suite("B6: uploads stream, within bounds")
struct StreamingTests {
  @Test("the upstream has the first octets before the client has sent the last", arguments: [false, true])
  func notHeldBack(_ isChunked: Bool) throws {
    let log = try withGateway { gateway, api in
      let client = try gateway.client()
      let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 9"
      try client.send(octets("POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎\(framing)⏎⏎"))
      try api.wait("the head") { $0.requests.count == 1 }
      for part in ["abc", "def", "ghi"] {
        try client.send(octets(isChunked ? "3⏎\(part)⏎" : part))
        try api.wait(part) { Octets.find(octets(part), in: $0.connections[0].octets) != nil }
      }
      if isChunked { try client.send(octets("0⏎⏎")) }
      #expect(client.readResponse().status == 200)
    }
    #expect(log.requests[0].content == octets("abcdefghi"))
  }

  @Test("part of a chunk goes on before the chunk is whole")
  func partOfChunk() throws {
    try withGateway { gateway, api in
      let client = try gateway.client()
      try client.send(
        octets("POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎Transfer-Encoding: chunked⏎⏎ffff⏎first"))
      try api.wait("the first octets") {
        $0.connections.first.map { Octets.find(octets("first"), in: $0.octets) != nil } ?? false
      }
    }
  }

  @Test("an upstream that does not read stops the client, and loses nothing", arguments: [false, true])
  func backPressure(_ isChunked: Bool) throws {
    let total = 48 * 1_048_576
    let piece = content(65_536)
    let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(total)"
    let script: [OriginStep] = [
      .readHead, .waitForSignal("read"), .custom { try Drain.read($0) }, .send(octets("HTTP/1.1 204 Done⏎⏎")),
    ]
    try withGateway(script: script) {
      $0.limits.requestBody = 64 * 1_048_576
    } _: { gateway, api in
      let client = Writer(try gateway.client())
      let head = octets("POST /octet/v1/proofs HTTP/1.1⏎Host: gw.test⏎\(framing)⏎⏎")
      let unit = isChunked ? octets("10000⏎") + piece + octets("⏎") : piece
      client.write(head, unit, times: total / piece.count, end: isChunked ? octets("0⏎⏎") : [])
      // No octet in half a second, though the client tries: it is stopped.
      let stopped = client.waitUntilStill(for: .milliseconds(500))
      #expect(stopped < Self.bound)
      api.signal("read")
      #expect(client.waitUntilDone() == total)
      #expect(client.client.readResponse(within: .seconds(20)).status == 204)
      let received = api.connections[0].octets.count
      #expect(received > total)
    }
  }

  /// The gateway's own share is 64 KiB a side; the rest is what the kernel holds in four socket buffers.
  static let bound = 12 * 1_048_576
}

/// Reads an upload to its end.
private enum Drain {
  static func read(_ connection: ScriptedConnection) throws { try connection.readBody() }
}

/// Writes on a thread of its own and tells how far it came.
private final class Writer: @unchecked Sendable {
  let client: RawClient
  private let progress = Monitor((sent: 0, isDone: false))

  init(_ client: RawClient) { self.client = client }

  func write(_ head: [UInt8], _ unit: [UInt8], times: Int, end: [UInt8]) {
    onThread { [self] in
      do {
        try client.send(head)
        for _ in 0..<times {
          try client.send(unit, within: .seconds(20))
          progress.change { $0.sent += 65_536 }
        }
        try client.send(end)
      } catch {}
      progress.change { $0.isDone = true }
    }
  }

  /// - Returns: how many octets were written when none more went out for `duration`.
  func waitUntilStill(for duration: Duration) -> Int {
    var last = -1
    while true {
      let now = progress.wait(Deadline(within: duration)) { $0.sent != last ? $0.sent : nil }
      guard let now else { return last }
      last = now
    }
  }

  func waitUntilDone() -> Int {
    progress.wait(Deadline(within: .seconds(20))) { $0.isDone ? $0.sent : nil } ?? -1
  }
}
