import ProofMaker
import ScriptedPeers
import Testing

@testable import octet_demo

@Suite("The demo's expectations")
struct ExpectedHeadTests {
  let api = DemoRoute.all[0]
  let archive = DemoRoute.all[2]

  @Test("keep every line but what the contract lets change")
  func request() {
    let client = octets(
      #"POST /octet/v1//a%2Fb? HTTP/1.1⏎X-A:  1 ⏎hOST:⇥gw.test⏎x-a:⏎Connection: close, X-Hop⏎X-HOP: 1⏎TE: gzip⏎X-B:\xFF⏎⏎"#
    )
    let expected = ExpectedHead.request(WireHead(client), prefix: "/octet", route: api)
    #expect(
      expected.octets
        == octets(#"POST /v1//a%2Fb? HTTP/1.1⏎X-A:  1 ⏎hOST:⇥api.octetproof.com⏎x-a:⏎X-B:\xFF⏎⏎"#))
    #expect(expected.changes.last == "removed connection, x-hop, te")
  }

  @Test("drop the app's credentials for a third party, and list that")
  func thirdParty() {
    let client = octets(
      "GET /octet/ext/gnss/2026/x.gz HTTP/1.1⏎Host: gw.test⏎Authorization: b⏎X-Octet-A: 1⏎Cookie: c⏎Accept: */*⏎⏎"
    )
    let expected = ExpectedHead.request(WireHead(client), prefix: "/octet", route: archive)
    #expect(
      expected.octets
        == octets("GET /archive/gnss/data/daily/2026/x.gz HTTP/1.1⏎Host: cddis.nasa.gov⏎Accept: */*⏎⏎"))
    #expect(expected.changes.contains("removed authorization, x-octet-a, cookie"))
  }

  @Test("keep the lines of a response but for Alt-Svc and a third party's cookies")
  func response() {
    let head = WireHead(
      octets("HTTP/1.1 429 ⏎SERVER: x⏎Alt-Svc: h3⏎Set-Cookie: a⏎Retry-After: 1⏎Keep-Alive: 5⏎⏎"))
    #expect(
      ExpectedHead.response(head, route: api).octets
        == octets("HTTP/1.1 429 ⏎SERVER: x⏎Set-Cookie: a⏎Retry-After: 1⏎⏎"))
    #expect(
      ExpectedHead.response(head, route: archive).octets == octets("HTTP/1.1 429 ⏎SERVER: x⏎Retry-After: 1⏎⏎")
    )
  }
}

@Suite("The demo's session", .serialized)
struct DemoSessionTests {
  /// Stands in for the gateway: forwards by the demo's own expectation, then spoils octets on the way.
  private func reports(
    spoilRequest: @escaping @Sendable ([UInt8], [UInt8]) -> ([UInt8], [UInt8]) = { ($0, $1) },
    spoilResponse: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
  ) throws -> [DemoReport] {
    let runner = try DemoRunner(calls: DemoSession.calls())
    let (api, archive, caFile) = (runner.api.port, runner.archive.port, runner.authority.caFile)
    let certificate = try runner.authority.issue(DemoCall.gatewayHost)
    let forwarder = try ScriptedOrigin(tls: OriginTLS(certificate)) { request in
      let path = String(request.target.dropFirst(DemoCall.prefix.count))
      guard let route = DemoRoute.matching(path) else { return .status(404) }
      var head = ExpectedHead.request(request.head, prefix: DemoCall.prefix, route: route).octets
      if request.head.isChunked { head = head.dropLast(2) + octets("Transfer-Encoding: chunked⏎⏎") }
      let (sentHead, sentBody) = spoilRequest(head, request.body.raw)
      let tls = ClientTLS(caFile: caFile, serverName: route.upstreamHost)
      guard let client = try? RawClient(port: route.isThirdParty ? archive : api, tls: tls),
        let response = try? client.exchange(sentHead + sentBody)
      else { return .status(502) }
      var answer = ExpectedHead.response(response.head, route: route).octets
      if response.head.isChunked { answer = answer.dropLast(2) + octets("Transfer-Encoding: chunked⏎⏎") }
      return .octets(spoilResponse(answer + response.body.raw))
    }
    defer {
      forwarder.stop()
      runner.stop()
    }
    return try runner.run(through: forwarder.port).map { DemoReport($0) }
  }

  @Test("is exact through a forwarder that obeys the contract")
  func exact() throws {
    let reports = try reports()
    #expect(reports.count == 16)
    for (index, report) in reports.enumerated() {
      #expect(report.findings == [], "\(report.text(number: index + 1))")
    }
    let text = reports.enumerated().map { $1.text(number: $0 + 1) }.joined(separator: "\n")
    #expect(text.contains("android, 262144 octets, 11 signatures hold"))
    #expect(text.contains("Retry-After: 37"))
    #expect(text.contains("removed authorization, cookie, x-octet-synthetic-1"))
  }

  @Test("finds an added field in every call")
  func addedField() throws {
    let reports = try reports(spoilRequest: { (Array($0.dropLast(2)) + octets("Via: 1.1 x⏎⏎"), $1) })
    #expect(
      reports.allSatisfy {
        $0.findings.count == 1 && $0.findings[0].contains("request heads differ at offset")
      })
    #expect(reports[0].text(number: 1).contains("NOT EXACT"))
  }

  @Test("finds a lost Retry-After")
  func lostRetryAfter() throws {
    let reports = try reports(spoilResponse: { answer in
      guard let start = Octets.find(octets("Retry-After: 37⏎"), in: answer) else { return answer }
      return Array(answer[..<start] + answer[(start + 17)...])
    })
    let spoilt = reports.filter { !$0.findings.isEmpty }
    #expect(spoilt.map(\.result.call.path) == ["/v1/metrics"])
    #expect(spoilt[0].findings[0].contains("response heads differ"))
  }

  @Test("finds one changed octet in a proof, and says that the proof no longer holds")
  func changedProof() throws {
    let reports = try reports(spoilRequest: { head, body in
      guard body.count > 300_000 else { return (head, body) }
      var changed = body
      changed[200_000] = changed[200_000] == 0x41 ? 0x42 : 0x41
      return (head, changed)
    })
    let spoilt = reports.filter { !$0.findings.isEmpty }
    #expect(spoilt.count == 1)
    #expect(spoilt.first?.findings.contains("the proof does not hold upstream") == true)
    #expect(
      spoilt.first?.findings.contains { $0.contains("request contents differ at offset 200000") } == true)
  }
}
