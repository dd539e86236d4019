import ProofMaker
import ScriptedPeers

/// What became of one call, from both ends.
struct CallResult: Sendable {
  let call: DemoCall
  /// Every request that reached an upstream because of the call.
  let arrived: [RecordedRequest]
  /// The SNI of the connection it came on.
  let serverName: String?
  let response: RawResponse
}

/// Compares both ends of a call and says so for people.
struct DemoReport {
  let result: CallResult
  /// What is not as the contract says; empty is exact.
  let findings: [String]
  private let changes: [String]

  /// Compares heads octet by octet, contents by octets, and counts deliveries.
  init(_ result: CallResult) {
    self.result = result
    var findings: [String] = []
    var changes: [String] = []
    if let route = result.call.route {
      DemoReport.compareRequest(result, route, &findings, &changes)
      DemoReport.compareResponse(result, route, &findings, &changes)
    } else {
      findings.append("no route for \(result.call.path)")
    }
    self.findings = findings
    self.changes = changes
  }

  private static func compareRequest(
    _ result: CallResult, _ route: DemoRoute, _ findings: inout [String], _ changes: inout [String]
  ) {
    let call = result.call
    if result.arrived.count != 1 { findings.append("delivered \(result.arrived.count) times") }
    guard let arrived = result.arrived.first else { return }
    let client = WireHead(call.head)
    let expected = ExpectedHead.request(client, prefix: DemoCall.prefix, route: route)
    changes += expected.changes
    let head = ExpectedHead.withoutTransferEncoding(arrived.head)
    if let difference = Octets.difference(expected: expected.octets, actual: head) {
      findings.append("request heads " + difference)
    }
    if client.isChunked != arrived.head.isChunked { findings.append("the request's framing was changed") }
    if let difference = Octets.difference(expected: call.contentOctets, actual: arrived.content) {
      findings.append("request contents " + difference)
    }
    if !arrived.isComplete { findings.append("the request did not arrive whole") }
    if result.serverName != route.upstreamHost { findings.append("SNI was \(result.serverName ?? "absent")") }
    if call.carriesProof, proofText(arrived.content) == nil {
      findings.append("the proof does not hold upstream")
    }
  }

  private static func compareResponse(
    _ result: CallResult, _ route: DemoRoute, _ findings: inout [String], _ changes: inout [String]
  ) {
    let (sent, content) = split(result.call.answer)
    let expected = ExpectedHead.response(sent, route: route)
    changes += expected.changes.map { "response: " + $0 }
    let response = result.response
    let head = ExpectedHead.withoutTransferEncoding(response.head)
    if let difference = Octets.difference(expected: expected.octets, actual: head) {
      findings.append("response heads " + difference)
    }
    if sent.isChunked != response.head.isChunked { findings.append("the response's framing was changed") }
    if let difference = Octets.difference(expected: content, actual: response.content) {
      findings.append("response contents " + difference)
    }
    if !response.isWhole { findings.append("the response ended: \(response.end)") }
    if !response.interim.isEmpty { findings.append("an interim response that nobody sent") }
  }

  /// Head and content of a scripted answer, chunk framing undone.
  static func split(_ answer: [UInt8]) -> (head: WireHead, content: [UInt8]) {
    let end = (Octets.find(octets("⏎⏎"), in: answer) ?? answer.count - 4) + 4
    let head = WireHead(Array(answer[..<end]))
    guard head.isChunked else { return (head, Array(answer[end...])) }
    var content: [UInt8] = []
    var start = end
    while let line = Octets.find(octets("⏎"), in: answer, from: start),
      let size = Int(String(decoding: answer[start..<line], as: UTF8.self), radix: 16), size > 0
    {
      content += answer[(line + 2)..<(line + 2 + size)]
      start = line + 2 + size + 2
    }
    return (head, content)
  }

  /// What the proof in an upload says; nil when there is none that holds.
  private static func proofText(_ content: [UInt8]) -> String? {
    guard let proof = UploadEnvelope.proof(in: content), let summary = try? ProofCheck.check(proof) else {
      return nil
    }
    return "\(summary.platform.rawValue), \(proof.count) octets, \(summary.stages.count) signatures hold"
  }

  /// The lines for one call.
  func text(number: Int) -> String {
    let call = result.call
    let client = WireHead(call.head)
    let (sent, content) = DemoReport.split(call.answer)
    var lines = ["\(number). \(call.name)  [\(call.evidence.rawValue)]"]
    lines.append("   client sent     " + describe(client.startLine, client.octets.count, call.contentOctets))
    for arrived in result.arrived {
      lines.append(
        "   upstream got    " + describe(arrived.head.startLine, arrived.head.octets.count, arrived.content))
      if call.carriesProof {
        lines.append("   proof upstream  " + (DemoReport.proofText(arrived.content) ?? "does not hold"))
      }
    }
    lines.append(
      "   upstream sent   " + describe(sent.startLine, sent.octets.count, content) + retryAfter(sent))
    let response = result.response
    lines.append(
      "   client got      " + describe(response.head.startLine, response.head.octets.count, response.content)
        + retryAfter(response.head))
    if !changes.isEmpty { lines.append("   allowed changes " + changes.joined(separator: "; ")) }
    lines.append(findings.isEmpty ? "   EXACT" : "   NOT EXACT")
    lines += findings.map { "   - " + $0.replacing("\n", with: "\n     ") }
    return lines.joined(separator: "\n")
  }

  private func describe(_ startLine: String, _ headCount: Int, _ content: [UInt8]) -> String {
    let line = Octets.text(Array(startLine.utf8), limit: 120)
    if content.isEmpty { return "\(line)  (head \(headCount) octets, no content)" }
    return
      "\(line)  (head \(headCount), content \(content.count) octets, SHA-256 \(Octets.sha256Hex(content)))"
  }

  private func retryAfter(_ head: WireHead) -> String {
    head.values("Retry-After").map { "  Retry-After: \($0)" }.joined()
  }
}
