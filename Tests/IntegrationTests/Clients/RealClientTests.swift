import GatewayConfig
import ScriptedPeers
import Testing

/// Sends the same calls twice, to an origin that records what the client sends and through the gateway, and compares.
@Suite("Clients that people use, rules F1 to F5, B1, B2, R1 to R3", .serialized)
struct RealClientTests {
  @Test(
    "curl's requests and answers are unchanged",
    .enabled(
      if: RealClient.areRequired || RealClient.curl.missing == nil, "\(RealClient.curl.missing ?? "")"))
  func curl() throws { try compare(.curl) }

  @Test(
    "urllib3's requests and answers are unchanged",
    .enabled(
      if: RealClient.areRequired || RealClient.urllib3.missing == nil, "\(RealClient.urllib3.missing ?? "")"))
  func urllib3() throws { try compare(.urllib3) }

  @Test(
    "OkHttp's requests and answers are unchanged",
    .enabled(
      if: RealClient.areRequired || RealClient.okHttp.missing == nil, "\(RealClient.okHttp.missing ?? "")"))
  func okHttp() throws { try compare(.okHttp) }

  @Test(
    "URLSession's requests and answers are unchanged",
    .enabled(
      if: RealClient.areRequired || RealClient.urlSession.missing == nil,
      "\(RealClient.urlSession.missing ?? "")"))
  func urlSession() throws { try compare(.urlSession) }

  private func compare(_ client: RealClient) throws {
    let calls = ClientCall.all
    let authority = try GatewayUnderTest.authority.get()
    let recorder = try ScriptedOrigin(
      tls: OriginTLS(authority.issue("gw.test", "localhost")), respond: ClientCall.answers(prefix: "/octet"))
    defer { recorder.stop() }
    let direct = try client.send(calls, to: recorder.port, authorities: authority.caFile)
    let sent = try recorder.waitForRequests(calls.count)

    let api = try GatewayUnderTest.origin("api.octetproof.com", ClientCall.answers(prefix: ""))
    defer { api.stop() }
    let certificate = try authority.issue("gw.test", "localhost")
    let gateway = try GatewayUnderTest(api: api) {
      $0.listeners[0].certificate = certificate.chainFile
      $0.listeners[0].certificateKey = certificate.keyFile
    }
    let through = try client.send(calls, to: gateway.tlsPort, authorities: authority.caFile)
    let arrived = try api.waitForRequests(calls.count)

    #expect(sent.count == calls.count)
    #expect(arrived.count == calls.count)
    for (call, (sent, arrived)) in zip(calls, zip(sent, arrived)) {
      comparePair(call, sent, arrived)
    }
    compareAnswers(calls, direct: direct, through: through)
  }

  private func comparePair(_ call: ClientCall, _ sent: RecordedRequest, _ arrived: RecordedRequest) {
    let isGeo = call.target.hasPrefix("/ext/geo/")
    let path = isGeo ? "/ext/geo/" : "/v1/"
    let route = ExpectedRoute(path: path, upstreamHost: "api.octetproof.com", upstreamPath: path)
    let expected = ExpectedHead.request(sent.head, prefix: "/octet", route: route)
    let head = Octets.difference(
      expected: expected.octets, actual: ExpectedHead.withoutTransferEncoding(arrived.head))
    #expect(head == nil, "\(call.name): heads \(head ?? "")")
    #expect(sent.method == call.method, "\(call.name)")
    #expect(arrived.head.isChunked == sent.head.isChunked, "\(call.name)")
    #expect(arrived.body.trailers == sent.body.trailers, "\(call.name)")
    let sentContent = Octets.difference(expected: call.contentOctets, actual: sent.content)
    #expect(sentContent == nil, "\(call.name): the client's content \(sentContent ?? "")")
    let content = Octets.difference(expected: sent.content, actual: arrived.content)
    #expect(content == nil, "\(call.name): contents \(content ?? "")")
    if case .stream = call.content { #expect(sent.head.isChunked, "\(call.name)") }
  }

  private func compareAnswers(_ calls: [ClientCall], direct: [String], through: [String]) {
    #expect(through == direct)
    #expect(direct.filter { $0.hasPrefix("answer ") }.count == calls.count)
    #expect(direct.contains { $0.hasPrefix("answer limited 429") })
    #expect(direct.contains { $0.hasPrefix("answer redirect 302") })
    #expect(direct.contains { $0.lowercased() == "field retry-after: 37" })
    // URLSession does not say how many connections it made.
    let connections = direct.filter { $0.hasPrefix("connections ") }
    #expect(connections.isEmpty || connections == ["connections 1"])
  }
}
