import Dispatch
import Gateway
import GatewayConfig
import ScriptedPeers
import Synchronization
import Testing

/// What the thread sanitizer looks at: several workers, their clients on threads of their own, and the drain.
@Suite("Several workers, rules C1 and C6")
struct ManyWorkersTests {
  private static let clients = 8

  /// Runs `body` for each client number, all at once, and returns what they threw.
  private func everyClient(_ body: @escaping @Sendable (Int) throws -> Void) -> [String] {
    let group = DispatchGroup()
    let failures = Shared<[String]>([])
    for number in 0..<ManyWorkersTests.clients {
      DispatchQueue(label: "client \(number)").async(group: group) {
        do {
          try body(number)
        } catch {
          failures.value.withLock { $0.append("client \(number): \(error)") }
        }
      }
    }
    group.wait()
    return failures.value.withLock { $0 }
  }

  private final class Shared<Value: Sendable>: Sendable {
    let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
  }

  private struct WrongAnswer: Error {
    let status: Int
    let content: String
  }

  private static func request(_ content: String) -> [UInt8] {
    octets("POST /octet/v1/echo HTTP/1.1⏎Host: gw.test⏎Content-Length: \(content.utf8.count)⏎⏎\(content)")
  }

  @Test("give each of many clients its own answers")
  func ownAnswers() throws {
    let api = try GatewayUnderTest.origin { .ok($0.content) }
    let gateway = try GatewayUnderTest(api: api) { $0.workers = 4 }
    let (port, tls) = (
      gateway.tlsPort, ClientTLS(caFile: gateway.authority.caFile, serverName: "gw.test")
    )
    let failures = everyClient { number in
      for round in 0..<4 {
        let client = try RawClient(port: port, tls: tls)
        for place in 0..<8 {
          let content = "client \(number), round \(round), request \(place)"
          let response = try client.exchange(ManyWorkersTests.request(content))
          guard response.status == 200, response.content == Array(content.utf8) else {
            throw WrongAnswer(status: response.status, content: Octets.text(response.content))
          }
        }
        client.close()
      }
    }
    #expect(failures == [])
    #expect(api.requests.count == ManyWorkersTests.clients * 4 * 8)
    #expect(Set(api.requests.map(\.content)).count == ManyWorkersTests.clients * 4 * 8)
    gateway.stop()
    api.stop()
  }

  @Test("finish what is running when they drain")
  func drain() throws {
    let api = try GatewayUnderTest.origin { request in
      ScriptedResponse([.waitForSignal("go")] + ScriptedResponse.ok(request.content).steps)
    }
    let gateway = try GatewayUnderTest(api: api) { $0.workers = 4 }
    let (port, tls) = (
      gateway.tlsPort, ClientTLS(caFile: gateway.authority.caFile, serverName: "gw.test")
    )
    let running = gateway.gateway
    let ended = DispatchGroup()
    DispatchQueue(label: "drain").async(group: ended) {
      _ = try? api.waitForRequests(ManyWorkersTests.clients)
      running.drainAndStop()
    }
    DispatchQueue(label: "signal").async(group: ended) {
      _ = try? api.waitForRequests(ManyWorkersTests.clients)
      api.signal("go")
    }
    let failures = everyClient { number in
      let client = try RawClient(port: port, tls: tls)
      let response = try client.exchange(ManyWorkersTests.request("client \(number)"))
      guard response.status == 200, response.content == Array("client \(number)".utf8) else {
        throw WrongAnswer(status: response.status, content: Octets.text(response.content))
      }
      client.close()
    }
    #expect(failures == [])
    ended.wait()
    #expect((try? RawClient(port: port)) == nil)
    api.stop()
  }

  @Test("count their clients together against connection_limit")
  func commonLimit() throws {
    let api = try GatewayUnderTest.origin { .ok($0.content) }
    let gateway = try GatewayUnderTest(api: api) {
      $0.workers = 4
      $0.limits.connections = 3
    }
    let port = gateway.plainPort
    // Each is served in the end: a connection beyond the limit waits, and one that is idle makes room.
    let failures = everyClient { number in
      for round in 0..<3 {
        let client = try RawClient(port: port)
        let response = try client.exchange(ManyWorkersTests.request("\(number) \(round)"))
        guard response.status == 200 else { throw WrongAnswer(status: response.status, content: "") }
        client.close()
      }
    }
    #expect(failures == [])
    gateway.stop()
    api.stop()
  }
}
