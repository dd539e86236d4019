package import HTTPMessage

/// An answer that the gateway makes itself: told apart from the upstream's by `Proxy-Status` (RFC 9209) and
/// `application/problem+json` (RFC 9457). Rule G1; there is never a Retry-After in it.
package struct OwnAnswer: Equatable, Sendable {
  package var status: Int
  /// A proxy error type.
  package var errorType: String
  package var rule: String?
  package var detail: String

  package init(_ refusal: Refusal) {
    status = refusal.status
    switch refusal.status {
    case 404, 421: errorType = "destination_not_found"
    default: errorType = "http_request_error"
    }
    rule = refusal.rule.description
    detail = refusal.detail.description
  }

  package init(_ error: GatewayError) {
    status = error.status
    errorType = error.kind.rawValue
    rule = nil
    detail = error.detail
  }

  package static func reasonPhrase(_ status: Int) -> String {
    switch status {
    case 400: "Bad Request"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 413: "Content Too Large"
    case 421: "Misdirected Request"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    default: "Gateway Answer"
    }
  }

  /// Appends the whole response.
  /// - Parameters:
  ///   - date: an IMF-fixdate.
  ///   - isHead: whether the request was a HEAD, so that content is left out.
  package func write(
    date: [UInt8], closes: Bool, isHead: Bool, into output: inout [UInt8]
  ) {
    var content =
      "{\"type\":\"about:blank\",\"title\":\"\(OwnAnswer.reasonPhrase(status))\",\"status\":\(status)"
    content += ",\"detail\":\"\(detail)\""
    if let rule { content += ",\"rule\":\"\(rule)\"" }
    content += ",\"gateway\":\"octet-gateway\"}\n"
    var head = "HTTP/1.1 \(status) \(OwnAnswer.reasonPhrase(status))\r\nDate: "
    output.append(contentsOf: head.utf8)
    output.append(contentsOf: date)
    head = "\r\nProxy-Status: octet-gateway; error=\(errorType); details=\"\(detail)\""
    head += "\r\nContent-Type: application/problem+json\r\nCache-Control: no-store"
    if status == 405 { head += "\r\nAllow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS" }
    head += "\r\nContent-Length: \(content.utf8.count)"
    head += closes ? "\r\nConnection: close\r\n\r\n" : "\r\n\r\n"
    output.append(contentsOf: head.utf8)
    if !isHead { output.append(contentsOf: content.utf8) }
  }
}
