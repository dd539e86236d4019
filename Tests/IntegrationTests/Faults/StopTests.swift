import Glibc
import ScriptedPeers
import Testing

@Suite("DR1: SIGTERM", .serialized)
struct StopTests {
  /// What a client got for what it sent.
  private struct Outcome: Sendable {
    let name: String
    let isWhole: Bool
    let closes: Bool
  }

  @Test("under load loses nothing: what the upstream saw is answered whole")
  func underLoad() throws {
    let api = try GatewayUnderTest.origin { request in
      ScriptedResponse([.pause(.milliseconds(5))] + ScriptedResponse.ok(Array(request.target.utf8)).steps)
    }
    let gateway = try SpawnedGateway(api: api)
    let ports = (gateway.tlsPort, gateway.plainPort)
    let caFile = gateway.authority.caFile
    let outcomes = Monitor([[Outcome]](repeating: [], count: 4))
    let process = gateway.process
    onThread {
      _ = outcomes.wait(Deadline(within: .seconds(10))) { $0.reduce(0) { $0 + $1.count } >= 80 ? true : nil }
      kill(process, SIGTERM)
    }
    try inParallel(4) { thread in
      let client =
        try thread % 2 == 0
        ? RawClient(port: ports.0, tls: ClientTLS(caFile: caFile, serverName: "gw.test"))
        : RawClient(port: ports.1)
      for number in 0..<100_000 {
        let name = "/v1/\(thread)-\(number)"
        let request = number % 2 == 0 ? Ask.get(name) : Ask.post(name, content: pattern(1000))
        guard (try? client.send(request)) != nil else { return }
        let response = client.readResponse(to: number % 2 == 0 ? "GET" : "POST")
        let outcome = Outcome(
          name: name, isWhole: response.end == .complete && response.content == octets(name),
          closes: response.values("Connection") == ["close"])
        outcomes.change { $0[thread].append(outcome) }
        if outcome.closes || !outcome.isWhole { return }
      }
    }
    #expect(gateway.exitStatus() == 0)
    let all = outcomes.read { $0 }
    let whole = Set(all.joined().filter(\.isWhole).map(\.name))
    #expect(api.requests.filter { !whole.contains($0.target) }.map(\.target) == [])
    for thread in all {
      #expect(thread.last?.isWhole == true && thread.last?.closes == true)
      #expect(thread.dropLast().allSatisfy { $0.isWhole && !$0.closes })
    }
  }

  @Test("waits for a running exchange, and for an upload")
  func waits() throws {
    let api = try GatewayUnderTest.origin { request in
      ScriptedResponse([.waitForSignal("go")] + ScriptedResponse.ok(octets("late")).steps)
    }
    let gateway = try SpawnedGateway(api: api)
    let waiting = try gateway.client()
    try waiting.send(Ask.get())
    let uploading = try gateway.client()
    try uploading.send(Ask.head(length: 1000) + pattern(400))
    try api.wait("both requests") { $0.requests.count == 2 }
    gateway.terminate()
    // Nobody is accepted any more once it drains.
    let port = gateway.plainPort
    #expect(eventually(within: .seconds(5)) { (try? RawClient(port: port)) == nil })
    try uploading.send(Array(pattern(1000)[400...]))
    api.signal("go")
    for client in [waiting, uploading] {
      let response = client.readResponse()
      #expect(response.content == octets("late"))
      #expect(response.values("Connection") == ["close"])
      #expect(client.isClosedByPeer())
    }
    #expect(gateway.exitStatus() == 0)
    #expect(api.requests.first { $0.method == "POST" }?.content == pattern(1000))
  }

  @Test("lets idle connections go and ends with 0")
  func idle() throws {
    let gateway = try SpawnedGateway(api: try GatewayUnderTest.origin())
    let clients = [try gateway.client(), try gateway.client(), try gateway.plainClient()]
    #expect(try clients[0].exchange(Ask.get()).status == 200)
    gateway.terminate()
    for client in clients { #expect(client.isClosedByPeer(within: .seconds(4))) }
    #expect(gateway.exitStatus(within: .seconds(4)) == 0)
  }

  @Test("cuts what drain_timeout did not suffice for, and ends with 0")
  func cuts() throws {
    let api = try GatewayUnderTest.origin { _ in
      ScriptedResponse([.send(octets("HTTP/1.1 200 OK⏎Content-Length: 9⏎⏎abc")), .expectClientEnd])
    }
    let gateway = try SpawnedGateway(api: api, "drain_timeout = 300ms")
    let client = try gateway.client()
    try client.send(Ask.get())
    _ = try client.readSome(10)
    gateway.terminate()
    #expect(gateway.exitStatus(within: .seconds(4)) == 0)
    #expect(try client.readAll().end != .clean)
    try api.waitForEnd(of: 0, within: .seconds(2))
  }
}
