import CLinux
import Glibc
import ScriptedPeers
import Testing

/// Measured of the program itself, so that other tests change nothing.
@Suite("C7 V01 V02: what a process has", .serialized)
struct ProcessTests {
  @Test("Memory is bounded however little clients read, and the upstream waits (V01)")
  func slowReaders() throws {
    let piece = pattern(65_536)
    let api = try GatewayUnderTest.origin { _ in
      ScriptedResponse([
        .send(octets("HTTP/1.1 200 OK⏎Content-Length: 52428800⏎⏎")),
        .custom { connection in for _ in 0..<800 { try connection.send(piece) } },
      ])
    }
    let gateway = try SpawnedGateway(api: api)
    #expect(try gateway.plainClient().exchange(Ask.get("/nowhere")).status == 404)
    let before = gateway.residentOctets
    var clients: [RawClient] = []
    for _ in 0..<60 {
      let client = try gateway.plainClient(receiveBuffer: 4096)
      try client.send(Ask.get())
      clients.append(client)
    }
    for client in clients { _ = try client.readSome(1024) }
    // All that buffers take is taken when nothing grows any more.
    var last = 0
    _ = eventually(within: .seconds(3)) {
      usleep(200_000)
      defer { last = gateway.residentOctets }
      return gateway.residentOctets == last
    }
    let growth = gateway.growth(since: before)
    #expect(growth < 60 * 256 * 1024, "\(growth) octets for 60 clients")
    #expect(api.connections.allSatisfy { !$0.isFinished })
    // Paused, not dropped: one of them reads on to the end.
    let reader = clients[0]
    while reader.received.count < 8_000_000 { _ = try reader.readSome(65_536) }
    #expect(gateway.growth(since: before) < 60 * 256 * 1024)
  }

  @Test("Floods of interim responses, chunks and pipelined requests stay bounded too")
  func floods() throws {
    let interim = octets("HTTP/1.1 103 Early Hints⏎Link: </a>⏎⏎")
    let chunks = (0..<2000).flatMap { _ in octets("1⏎x⏎") }
    let api = try GatewayUnderTest.origin { request in
      ScriptedResponse(
        request.target == "/v1/interim"
          ? [.custom { connection in while true { try connection.send(interim) } }]
          : [
            .send(octets("HTTP/1.1 200 OK⏎Transfer-Encoding: chunked⏎⏎")),
            .custom { connection in while true { try connection.send(chunks) } },
          ])
    }
    let gateway = try SpawnedGateway(api: api)
    #expect(try gateway.plainClient().exchange(Ask.get("/nowhere")).status == 404)
    let before = gateway.residentOctets
    let idle = gateway.initialDescriptorCount
    var clients: [RawClient] = []
    for number in 0..<20 {
      let client = try gateway.plainClient(receiveBuffer: 4096)
      try client.send(Ask.get(number % 2 == 0 ? "/v1/interim" : "/v1/chunks"))
      clients.append(client)
    }
    // One pipelines as much as it can, and reads nothing.
    let piper = try gateway.plainClient(receiveBuffer: 4096)
    let requests = (0..<1000).flatMap { _ in Ask.get("/nowhere") }
    while (try? piper.send(requests, within: .milliseconds(300))) != nil {}
    #expect(gateway.growth(since: before) < 20_000_000)
    // A reset frees what they had.
    for client in clients + [piper] { client.reset() }
    let isBack = eventually(within: .seconds(20)) { gateway.descriptorCount <= idle }
    #expect(isBack, "\(idle) before, \(gateway.descriptorCount) after")
  }

  @Test("Descriptors come back, wherever clients and upstreams vanish (V02)")
  func vanishing() throws {
    let api = try GatewayUnderTest.origin { request in
      switch request.target.utf8.count % 3 {
      case 0:
        ScriptedResponse([
          .send(octets("HTTP/1.1 200 OK⏎Content-Length: 9⏎⏎abc")), .pause(.milliseconds(20)), .reset,
        ])
      case 1: ScriptedResponse([.pause(.milliseconds(20)), .closeAbruptly])
      default: .ok(pattern(2000))
      }
    }
    let gateway = try SpawnedGateway(api: api, "upstream_keep_alive_timeout = 300ms")
    #expect(try gateway.client().exchange(Ask.get("/nowhere")).status == 404)
    let before = gateway.initialDescriptorCount
    let request = Ask.post("/v1/proofs", content: pattern(3000))
    var generator = SystemRandomNumberGenerator()
    for number in 0..<400 {
      let client = try number % 4 == 0 ? gateway.client() : gateway.plainClient()
      let path = "/v1/" + String(repeating: "x", count: number % 3)
      let octets = number % 2 == 0 ? Ask.get(path) : request
      let cut = number % 5 == 0 ? octets.count : Int.random(in: 0...octets.count, using: &generator)
      try? client.send(Array(octets[..<cut]))
      if number % 7 == 0 { _ = try? client.readSome(100, within: .milliseconds(5)) }
      switch number % 3 {
      case 0: client.reset()
      case 1: client.close()
      default: client.closeAbruptly()
      }
    }
    let isBack = eventually(within: .seconds(20)) { gateway.descriptorCount <= before }
    #expect(isBack, "\(before) before, \(gateway.descriptorCount) after")
    #expect(gateway.exitStatus(within: .zero) == nil)
  }

  @Test("2000 idle connections, half of them over TLS, and it serves on")
  func idleConnections() throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    try #require(limit.rlim_cur > 5000)
    let api = try GatewayUnderTest.origin()
    let gateway = try SpawnedGateway(api: api)
    let before = gateway.residentOctets
    let clients = Monitor([RawClient]())
    let ports = (gateway.tlsPort, gateway.plainPort)
    let kept = UncheckedBox(clients)
    try inParallel(2, within: .seconds(40)) { thread in
      for _ in 0..<1000 {
        let client =
          try thread == 0
          ? RawClient(port: ports.0, tls: ClientTLS(caFile: nil, serverName: "gw.test"))
          : RawClient(port: ports.1)
        kept.value.change { $0.append(client) }
      }
    }
    #expect(clients.read { $0.count } == 2000)
    let idle = gateway.initialDescriptorCount
    #expect(eventually(within: .seconds(5)) { gateway.descriptorCount >= idle + 2000 })
    let perConnection = gateway.growth(since: before) / 2000
    #expect(perConnection < 40_000, "\(perConnection) octets for each idle connection")
    #expect(try gateway.client().exchange(Ask.get()).status == 200)
    #expect(try clients.read { try $0[0].exchange(Ask.get()) }.status == 200)
    #expect(try clients.read { try $0[1999].exchange(Ask.get()) }.status == 200)
    clients.change { for client in $0 { client.reset() } }
    // One upstream connection may still be kept.
    #expect(eventually(within: .seconds(10)) { gateway.descriptorCount <= idle + 1 })
  }

  @Test("At connection_limit the idle make room, and the newcomer is served")
  func connectionLimit() throws {
    let api = try GatewayUnderTest.origin()
    let gateway = try SpawnedGateway(api: api, "connection_limit = 10")
    var clients: [RawClient] = []
    for _ in 0..<10 {
      let client = try gateway.plainClient()
      #expect(try client.exchange(Ask.get()).status == 200)
      clients.append(client)
    }
    for _ in 0..<20 { #expect(try gateway.client().exchange(Ask.get(), within: .seconds(5)).status == 200) }
  }

  @Test("Out of descriptors it waits, and serves again when there are some")
  func descriptors() throws {
    let api = try GatewayUnderTest.origin()
    let gateway = try SpawnedGateway(api: api, descriptors: 256)
    var clients: [RawClient] = []
    for _ in 0..<400 { clients.append(try gateway.plainClient()) }
    #expect(eventually(within: .seconds(5)) { gateway.descriptorCount >= 250 })
    #expect(gateway.exitStatus(within: .zero) == nil)
    // Those it has are answered, if only with its own lack of a descriptor.
    let response = try clients[0].exchange(Ask.get(), within: .seconds(5))
    #expect([200, 502, 503].contains(response.status))
    for client in clients { client.reset() }
    #expect(try gateway.client().exchange(Ask.get(), within: .seconds(10)).status == 200)
    #expect(try gateway.client().exchange(Ask.post(content: [1]), within: .seconds(10)).status == 200)
  }

  @Test("Neither the environment's proxies nor a netrc steer it (C3)")
  func environment() throws {
    let api = try GatewayUnderTest.origin()
    let trap = try ScriptedOrigin(script: { _ in [] })
    let home = try TemporaryDirectory.make()
    try TemporaryDirectory.write(
      octets("machine api.octetproof.com login a password b\n"), ".netrc", in: home)
    let proxy = "http://127.0.0.1:\(trap.port)"
    let gateway = try SpawnedGateway(
      api: api,
      environment: ["https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy", "http_proxy"].map {
        "\($0)=\(proxy)"
      }
        + ["HOME=\(home)"])
    #expect(try gateway.client().exchange(Ask.get()).status == 200)
    #expect(trap.connections.isEmpty)
    #expect(api.requests[0].head.values("Authorization").isEmpty)
  }
}

/// Lets a value be shared where the test itself sees to it that access is in order.
private struct UncheckedBox<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
