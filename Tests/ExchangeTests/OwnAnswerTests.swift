import Exchange
import Foundation
import HTTPMessage
import Testing

@Suite("The gateway's own answers (rules G1 and G2; RFC 9209, RFC 9457)")
struct OwnAnswerTests {
  private func written(_ answer: OwnAnswer, closes: Bool = false, isHead: Bool = false) -> (
    head: [String], content: String
  ) {
    var output: [UInt8] = []
    answer.write(date: Array("NOW".utf8), closes: closes, isHead: isHead, into: &output)
    let parts = String(decoding: output, as: UTF8.self).components(separatedBy: "\r\n\r\n")
    return (parts[0].components(separatedBy: "\r\n"), parts.dropFirst().joined())
  }

  @Test("is 504 on time out, 503 without room, 500 for our own faults and 502 for the rest")
  func statuses() {
    for kind in GatewayError.Kind.allCases {
      let expected =
        switch kind {
        case .dnsTimeout, .connectionTimeout, .connectionReadTimeout, .connectionWriteTimeout,
          .responseTimeout:
          504
        case .connectionLimitReached: 503
        case .internalError: 500
        default: 502
        }
      #expect(GatewayError(kind).status == expected)
      #expect(![401, 403].contains(GatewayError(kind).status))
      #expect(kind.rawValue.allSatisfy { $0.isLowercase || $0 == "_" })
    }
  }

  @Test("is told apart by Proxy-Status and is valid JSON", arguments: GatewayError.Kind.allCases)
  func gatewayErrors(kind: GatewayError.Kind) throws {
    let answer = OwnAnswer(GatewayError(kind))
    let (head, content) = written(answer)
    #expect(head[0] == "HTTP/1.1 \(answer.status) \(OwnAnswer.reasonPhrase(answer.status))")
    #expect(
      head.contains("Proxy-Status: octet-gateway; error=\(kind.rawValue); details=\"\(answer.detail)\""))
    #expect(head.contains("Content-Type: application/problem+json"))
    #expect(head.contains("Content-Length: \(content.utf8.count)"))
    #expect(head.contains("Date: NOW"))
    #expect(!head.contains { $0.hasPrefix("Retry-After") || $0 == "Connection: close" })
    let object = try JSONSerialization.jsonObject(with: Data(content.utf8))
    let fields = try #require(object as? [String: Any])
    #expect(fields["status"] as? Int == answer.status)
    #expect(fields["detail"] as? String == answer.detail)
    #expect(OwnAnswer.reasonPhrase(answer.status) != "Gateway Answer")
  }

  @Test("names the rule of a refusal, allows methods on 405, and closes when told")
  func refusals() {
    let (head, content) = written(OwnAnswer(Refusal(405, "T4", "not forwarded")), closes: true)
    #expect(head.contains { $0.hasPrefix("Allow: ") })
    #expect(head.last == "Connection: close")
    #expect(content.contains("\"rule\":\"T4\""))
    #expect(OwnAnswer(Refusal(404, "T1", "x")).errorType == "destination_not_found")
    #expect(OwnAnswer(Refusal(400, "F6", "x")).errorType == "http_request_error")
  }

  @Test("sends HEAD the same head and no content")
  func head() {
    let answer = OwnAnswer(Refusal(400, "F6", "x"))
    #expect(written(answer, isHead: true).head == written(answer).head)
    #expect(written(answer, isHead: true).content.isEmpty)
  }
}
