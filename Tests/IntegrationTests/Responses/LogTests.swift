import Foundation
import GatewayConfig
import ScriptedPeers
import Testing

@Suite("L1: logs")
struct LogTests {
  private struct Logs {
    let access = (try? TemporaryDirectory.make()).map { $0 + "/access.log" } ?? ""
    var events: String { access + ".events" }

    func apply(_ configuration: inout Configuration) {
      configuration.accessLog = .file(access)
      configuration.errorLog = .file(events)
    }

    func text() throws -> String {
      try String(decoding: Data(contentsOf: URL(fileURLWithPath: access)), as: UTF8.self)
        + String(decoding: Data(contentsOf: URL(fileURLWithPath: events)), as: UTF8.self)
    }

    /// The access log's lines, once there are `count`.
    func lines(_ count: Int) throws -> [[String: Any]] {
      let deadline = Deadline(within: .seconds(5))
      while true {
        let text = try String(decoding: Data(contentsOf: URL(fileURLWithPath: access)), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        if lines.count >= count || deadline.isPast {
          #expect(lines.count == count)
          return try lines.map { line in
            #expect(line.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(line)")
            return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
          }
        }
        usleep(5000)
      }
    }
  }

  private let credentials =
    "Authorization: Bearer SEKRET1⏎Cookie: s=SEKRET2⏎X-Octet-Device: SEKRET3⏎Proxy-Authorization: SEKRET4⏎X-A: SEKRET5⏎"

  @Test("hold no credential, query, content or path, whatever becomes of the request (G01)")
  func secrets() throws {
    let logs = Logs()
    let api = try GatewayUnderTest.origin { request in
      switch request.target.split(separator: "?").first {
      case "/v1/garbage": .octets(octets("SEKRET garbage⏎"))
      case "/v1/cut":
        ScriptedResponse([.send(octets("HTTP/1.1 200 OK⏎Content-Length: 9⏎⏎SEKRET")), .closeAbruptly])
      default: .ok(octets("SEKRET6"), fields: ["Set-Cookie: SEKRET7"])
      }
    }
    let gateway = try GatewayUnderTest(api: api) {
      logs.apply(&$0)
      $0.limits.requestBody = 1000
      $0.timeouts.requestHeader = 200
      $0.timeouts.requestIdle = 200
    }
    let query = "?token=SEKRET8&lat=SEKRET9"
    let requests = [
      Ask.get("/v1/SEKRET10" + query, credentials),
      Ask.post("/v1/proofs" + query, credentials, content: octets("SEKRET11")),
      Ask.get("/v1/garbage" + query, credentials), Ask.get("/v1/cut" + query, credentials),
      Ask.get("/SEKRET12" + query, credentials), Ask.get("/v1/../SEKRET13" + query, credentials),
      Ask.head("/v1/p" + query, credentials, length: 5000),
      Ask.head("/v1/p" + query, credentials, length: 500),
      octets("GET /octet/v1/x\(query) HTTP/1.1⏎Host: gw.test⏎SEKRET14⏎\(credentials)⏎"),
      octets("GET /octet/v1/x\(query) HTTP/1.1⏎Host: SEKRET15.test, x⏎\(credentials)⏎"),
      octets("GET /octet/v1/x\(query) SEKRET/9.9⏎Host: gw.test⏎\(credentials)⏎"),
      octets("POST /octet/v1/x\(query) HTTP/1.1⏎Host: gw.test⏎Content-Length: SEKRET16⏎\(credentials)⏎"),
      octets(
        "POST /octet/v1/x\(query) HTTP/1.1⏎Host: gw.test⏎\(credentials)Transfer-Encoding: chunked⏎⏎SEKRET⏎"),
      octets("GET /octet/v1/x\(query) HTTP/1.1⏎Host: gw.test⏎\(credentials)"),
    ]
    for request in requests { _ = try gateway.client().exchange(request, within: .seconds(3)) }
    let lines = try logs.lines(requests.count)
    #expect(
      lines.map { $0["status"] as? Int } == [
        200, 200, 502, 200, 404, 400, 413, 408, 400, 400, 400, 400, 400, 408,
      ])
    let text = try logs.text()
    #expect(!text.contains("SEKRET") && !text.contains("token="))
    // No client's address: the only ones are those the operator wrote, said at the start.
    let others = text.split(separator: "\n").filter { !$0.contains("\"event\":\"serving\"") }
    #expect(others.allSatisfy { !$0.contains("127.0.0.1") })
    // Every refusal names its rule, every failure its kind.
    for line in lines.dropFirst(2) { #expect(line["rule"] is String || line["error"] is String, "\(line)") }
    for line in lines.dropFirst(4) { #expect(line["rule"] is String, "\(line)") }
  }

  @Test("keep refusals and failures where there is no access log")
  func withoutAccessLog() throws {
    let logs = Logs()
    let api = try GatewayUnderTest.origin { request in
      request.target == "/v1/gone" ? ScriptedResponse([.closeNotifyAndClose]) : .ok()
    }
    defer { api.stop() }
    let gateway = try GatewayUnderTest(api: api) {
      logs.apply(&$0)
      $0.accessLog = .off
    }
    let client = try gateway.client()
    for path in ["/v1/flags", "/nowhere", "/v1/gone"] { _ = try client.exchange(Ask.get(path)) }
    gateway.stop()
    let events = try String(decoding: Data(contentsOf: URL(fileURLWithPath: logs.events)), as: UTF8.self)
    let requests = events.split(separator: "\n").filter { $0.contains("\"request\":") }
    try #require(requests.count == 2)
    #expect(requests[0].contains("\"event\":\"request refused\"") && requests[0].contains("\"rule\":\"T1\""))
    #expect(
      requests[1].contains("\"event\":\"request failed\"") && requests[1].contains("connection_terminated"))
  }

  @Test("name the cause, and not only the reset, where failures reset the client (G2)")
  func causeOfReset() throws {
    let logs = Logs()
    let api = try GatewayUnderTest.origin { _ in ScriptedResponse([.closeNotifyAndClose]) }
    defer { api.stop() }
    let gateway = try GatewayUnderTest(api: api) {
      logs.apply(&$0)
      $0.onUpstreamFailure = .reset
    }
    let client = try gateway.client()
    try client.send(Ask.post("/v1/proofs", content: octets("{}")))
    #expect(client.isClosedByPeer())
    #expect(try logs.lines(1)[0]["error"] as? String == "connection_terminated")
  }

  @Test("have one line a request with the promised fields, and no other")
  func fields() throws {
    let logs = Logs()
    let api = try GatewayUnderTest.origin { _ in .ok(octets("12345")) }
    let gateway = try GatewayUnderTest(api: api) { logs.apply(&$0) }
    let client = try gateway.client()
    _ = try client.exchange(Ask.post(content: octets("123")))
    _ = try client.exchange(Ask.get())
    _ = try client.exchange(Ask.get("/nowhere"))
    _ = try gateway.plainClient().exchange(Ask.get())
    let lines = try logs.lines(4)
    #expect(
      Set(lines[0].keys) == [
        "time", "connection", "request", "route", "method", "status", "request_octets", "response_octets",
        "upstream_ms", "total_ms", "upstream_reused", "tls",
      ])
    #expect(
      Set(lines[2].keys) == [
        "time", "connection", "request", "method", "status", "request_octets", "response_octets", "total_ms",
        "tls", "rule",
      ])
    #expect(lines.map { $0["method"] as? String } == ["POST", "GET", "GET", "GET"])
    #expect(lines.map { $0["status"] as? Int } == [200, 200, 404, 200])
    #expect(lines.map { $0["route"] as? String } == ["/v1/", "/v1/", nil, "/v1/"])
    #expect(lines.map { $0["request_octets"] as? Int } == [3, 0, 0, 0])
    #expect(lines.map { $0["response_octets"] as? Int } == [5, 5, 0, 5])
    #expect(lines.map { $0["request"] as? Int } == [1, 2, 3, 1])
    #expect(lines.map { $0["upstream_reused"] as? Bool } == [false, true, nil, true])
    #expect(lines.map { $0["tls"] as? String } == ["TLSv1.3", "TLSv1.3", "TLSv1.3", nil])
    #expect(lines[2]["rule"] as? String == "T1")
    let connections = lines.compactMap { $0["connection"] as? Int }
    #expect(connections[0] == connections[1] && connections[2] != connections[3])
    for line in lines {
      #expect((line["time"] as? String)?.hasSuffix("Z") == true)
      #expect((line["total_ms"] as? Double).map { $0 >= 0 } == true)
    }
  }

  @Test("tell how an exchange broke off (K02)")
  func endings() throws {
    let logs = Logs()
    let api = try GatewayUnderTest.origin(script: { index in
      index == 0
        ? [.readRequest, .expectClientEnd]
        : [.readRequest, .send(octets("HTTP/1.1 200 OK⏎Content-Length: 9⏎⏎cut")), .closeAbruptly]
    })
    let gateway = try GatewayUnderTest(api: api) { logs.apply(&$0) }
    let client = try gateway.client()
    try client.send(Ask.get())
    try api.waitForRequests(1)
    client.reset()
    try api.waitForEnd(of: 0)
    _ = try gateway.client().exchange(Ask.get())
    let lines = try logs.lines(2)
    #expect((lines[0]["error"] as? String)?.hasPrefix("client_") == true)
    #expect(lines[0]["status"] as? Int == 0)
    #expect(lines[1]["error"] as? String == "http_response_incomplete")
    #expect(lines[1]["status"] as? Int == 200)
  }

  @Test(
    "can't be forged (G03)",
    arguments: [
      "GET /octet/v1/a%0d%0aFAKE%20200%1b[2J HTTP/1.1⏎Host: gw.test⏎User-Agent: x\\x1b[31m\"⏎⏎",
      "GET /octet/v1/\\xC2\\x85\\x85 HTTP/1.1⏎Host: gw.test⏎X: \\xFF\"\\x5C⏎⏎",
      "G|`~!#$%&'*+^_T /octet/v1/a HTTP/1.1⏎Host: gw.test⏎⏎",
      "\\x1b[31m\"\\x5C\\xFF /octet/v1/a HTTP/1.1⏎Host: gw.test⏎⏎",
      "GET\\x85 /octet/v1/a HTTP/1.1⏎Host: gw.test⏎⏎",
    ])
  func forged(_ text: String) throws {
    let logs = Logs()
    let api = try GatewayUnderTest.origin()
    let gateway = try GatewayUnderTest(api: api) { logs.apply(&$0) }
    _ = try gateway.client().exchange(octets(text))
    #expect(try logs.lines(1).count == 1)
    #expect(!(try logs.text()).contains("FAKE"))
  }

  @Test("that nobody reads stop nothing: a pipe that is full")
  func fullPipe() throws {
    let path = try TemporaryDirectory.make() + "/pipe"
    try #require(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let api = try GatewayUnderTest.origin()
    let gateway = try GatewayUnderTest(api: api) { $0.accessLog = .file(path) }
    let client = try gateway.client()
    for _ in 0..<400 { #expect(try client.exchange(Ask.get("/nowhere")).status == 404) }
  }
}
