import ScriptedPeers

/// The upstreams of the demo and the way through the session.
final class DemoRunner {
  let authority: ThrowawayAuthority
  /// First party, then third party.
  let api: ScriptedOrigin
  let archive: ScriptedOrigin
  let calls: [DemoCall]

  /// Starts both upstreams, each with a certificate for its real name.
  init(calls: [DemoCall]) throws {
    self.calls = calls
    authority = try ThrowawayAuthority()
    var answers: [String: [UInt8]] = [:]
    for call in calls {
      answers[DemoRunner.key(call.method, call.upstreamTarget, call.contentOctets)] = call.answer
    }
    let known = answers
    let respond: @Sendable (RecordedRequest) -> ScriptedResponse = { request in
      let answer = known[DemoRunner.key(request.method, request.target, request.content)]
      return answer.map { .octets($0) } ?? .status(599, "Not in the script")
    }
    api = try ScriptedOrigin(tls: OriginTLS(authority.issue("api.octetproof.com")), respond: respond)
    archive = try ScriptedOrigin(tls: OriginTLS(authority.issue("cddis.nasa.gov")), respond: respond)
  }

  private static func key(_ method: String, _ target: String, _ content: [UInt8]) -> String {
    "\(method) \(target) \(Octets.sha256Hex(content))"
  }

  /// Makes every call through the gateway at `port`, on one kept connection as long as it lasts.
  func run(through port: UInt16) throws -> [CallResult] {
    let tls = ClientTLS(caFile: authority.caFile, serverName: DemoCall.gatewayHost)
    var client: RawClient?
    var results: [CallResult] = []
    for call in calls {
      let before = (api.requests.count, archive.requests.count)
      let connection = try client ?? RawClient(port: port, tls: tls)
      try connection.send(call.head + call.body)
      let response = connection.readResponse(to: call.method)
      client = response.end == .complete && response.head.values("Connection") != ["close"] ? connection : nil
      results.append(result(call, response, before))
    }
    client?.close()
    return results
  }

  private func result(_ call: DemoCall, _ response: RawResponse, _ before: (Int, Int)) -> CallResult {
    let isThirdParty = call.route?.isThirdParty == true
    let (apiLog, archiveLog) = (api.log, archive.log)
    let arrived = Array(apiLog.requests[before.0...]) + Array(archiveLog.requests[before.1...])
    let connections = isThirdParty ? archiveLog.connections : apiLog.connections
    let index = arrived.first?.connection
    return CallResult(
      call: call, arrived: arrived,
      serverName: index.flatMap { connections.indices.contains($0) ? connections[$0].hello.serverName : nil },
      response: response)
  }

  /// Ends the upstreams.
  func stop() {
    api.stop()
    archive.stop()
  }
}
