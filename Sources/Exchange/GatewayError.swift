/// Why an exchange with an upstream failed. Kinds and their texts are the proxy error types of
/// RFC 9209 section 2.3.
package struct GatewayError: Error, Equatable, Sendable {
  package enum Kind: String, Equatable, Sendable, CaseIterable {
    case dnsTimeout = "dns_timeout"
    case dnsError = "dns_error"
    case destinationUnavailable = "destination_unavailable"
    case destinationIPProhibited = "destination_ip_prohibited"
    case destinationIPUnroutable = "destination_ip_unroutable"
    case connectionRefused = "connection_refused"
    case connectionTerminated = "connection_terminated"
    case connectionTimeout = "connection_timeout"
    case connectionReadTimeout = "connection_read_timeout"
    case connectionWriteTimeout = "connection_write_timeout"
    case connectionLimitReached = "connection_limit_reached"
    case tlsProtocolError = "tls_protocol_error"
    case tlsCertificateError = "tls_certificate_error"
    case responseIncomplete = "http_response_incomplete"
    case responseHeadTooLarge = "http_response_header_section_size"
    case responseTransferCoding = "http_response_transfer_coding"
    case responseTimeout = "http_response_timeout"
    case upgradeFailed = "http_upgrade_failed"
    case protocolError = "http_protocol_error"
    case redirectRefused = "http_request_denied"
    case internalError = "proxy_internal_error"
  }

  package var kind: Kind

  package init(_ kind: Kind) {
    self.kind = kind
  }

  /// 504 on time out, 502 for the rest (rule G2); 503 when we are the ones without room.
  package var status: Int {
    switch kind {
    case .dnsTimeout, .connectionTimeout, .connectionReadTimeout, .connectionWriteTimeout,
      .responseTimeout:
      504
    case .connectionLimitReached:
      503
    case .internalError:
      500
    default:
      502
    }
  }

  /// What a person reads in the answer; nothing of the request or the upstream's address is in it.
  package var detail: String {
    switch kind {
    case .dnsTimeout: "the upstream's name was not resolved in time"
    case .dnsError: "the upstream's name could not be resolved"
    case .destinationUnavailable: "the upstream is not reachable"
    case .destinationIPProhibited:
      "the upstream's name resolves to a private address, which is not configured"
    case .destinationIPUnroutable: "there is no route to the upstream's address"
    case .connectionRefused: "the upstream refused the connection"
    case .connectionTerminated: "the upstream closed the connection before it answered"
    case .connectionTimeout: "no connection to the upstream within connect_timeout"
    case .connectionReadTimeout: "the upstream sent nothing within upstream_idle_timeout"
    case .connectionWriteTimeout: "the upstream took nothing within upstream_idle_timeout"
    case .connectionLimitReached: "the gateway has no descriptor left for an upstream connection"
    case .tlsProtocolError: "the TLS handshake with the upstream failed"
    case .tlsCertificateError: "the upstream's certificate could not be verified"
    case .responseIncomplete: "the upstream's answer was cut short"
    case .responseHeadTooLarge: "the upstream's response head is over response_head_limit"
    case .responseTransferCoding: "the upstream's Transfer-Encoding is not exactly 'chunked'"
    case .responseTimeout: "the upstream sent no response head within response_head_timeout"
    case .upgradeFailed: "the upstream switched protocols, which nobody asked it to"
    case .protocolError: "the upstream's answer is malformed or ambiguous"
    case .redirectRefused: "the upstream redirects to a host that the route does not allow"
    case .internalError: "the gateway failed"
    }
  }
}
