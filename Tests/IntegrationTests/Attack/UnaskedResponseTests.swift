import Glibc
import ScriptedPeers
import Testing

/// A response that nobody asked for must not become another request's answer.
@Suite("C2 R6: octets that wait on an idle upstream connection", .serialized)
struct UnaskedResponseTests {
  /// The program stands still while both arrive, so that it hears of the request and of the octets in one turn, and of
  /// the request first.
  @Test(
    "are seen before a request uses it, whatever its method",
    arguments: ["GET", "HEAD", "DELETE", "OPTIONS", "POST"])
  func seenBeforeUse(_ method: String) throws {
    let isSent = Monitor(false)
    let api = try GatewayUnderTest.origin { request in
      guard request.target == "/v1/first" else { return .ok(fields: ["X-Answers: \(request.target)"]) }
      return ScriptedResponse(
        ScriptedResponse.ok().steps + [
          .waitForSignal("unasked"), .send(octets("HTTP/1.1 200 OK⏎X-Answers: nobody⏎Content-Length: 0⏎⏎")),
          .custom { _ in isSent.change { $0 = true } },
        ])
    }
    let gateway = try SpawnedGateway(api: api)
    let client = try gateway.plainClient()
    #expect(try client.exchange(Ask.get("/v1/first")).status == 200)
    usleep(50_000)  // The gateway has come to rest.
    try stop(gateway.process)
    try client.send(Ask.get("/v1/second", method: method))
    api.signal("unasked")
    try #require(isSent.wait(Deadline(within: .seconds(5))) { $0 ? true : nil } != nil)
    kill(gateway.process, SIGCONT)
    let response = client.readResponse(to: method)
    #expect(response.values("X-Answers") == ["/v1/second"])
    #expect(api.requests.map(\.connection) == [0, 1])
  }

  /// Returns when every thread stands still: SIGSTOP alone lets the workers run on for a while, and a request that was
  /// forwarded before the octets came is another matter.
  private func stop(_ process: pid_t) throws {
    kill(process, SIGSTOP)
    let hasStopped = eventually(within: .seconds(10)) {
      var status: Int32 = 0
      return waitpid(process, &status, WUNTRACED | WNOHANG) == process && status & 0xFF == 0x7F
    }
    try #require(hasStopped, "the gateway did not stop")
  }
}
