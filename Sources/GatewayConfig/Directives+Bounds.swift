extension Directives {
  static let limits: [Directive] = [
    Directive(
      "request_head_limit", .limits, .size((1 << 10)...(1 << 20)), target: .integer(\.limits.requestHead),
      default: "64KiB", rules: ["F6", "C7"],
      "Octets of a request line and its field section together; 431 above.",
      "RFC 9112 section 3 asks for at least 8000 octets of request line alone."),
    Directive(
      "request_field_limit", .limits, .count(1...10_000), target: .integer(\.limits.requestFields),
      default: "200", rules: ["F6", "C7"],
      "Field lines of a request; 431 above."),
    Directive(
      "response_head_limit", .limits, .size((1 << 10)...(4 << 20)), target: .integer(\.limits.responseHead),
      default: "128KiB", rules: ["R6"],
      "Octets of a response head; 502 above."),
    Directive(
      "response_field_limit", .limits, .count(1...10_000), target: .integer(\.limits.responseFields),
      default: "400", rules: ["R6"],
      "Field lines of a response; 502 above."),
    Directive(
      "request_body_limit", .limits, .size(1...(1 << 30)), target: .integer(\.limits.requestBody),
      default: "1MiB", rules: ["B4"],
      "Octets of a request's content; 413 above.",
      """
      The vendor asks for proofs of 256 KiB to pass. In base64 that is 349528 octets, so a lower limit is warned \
      about. Content is streamed and not held: a high limit costs no memory.
      """),
    Directive(
      "connection_limit", .limits, .count(1...1_000_000), target: .integer(\.limits.connections),
      default: "4096", rules: ["C7"],
      "Client connections, over all workers.",
      "Each exchange can need a second descriptor for its upstream: let the system allow twice as many and some more."
    ),
    Directive(
      "requests_per_connection", .limits, .count(0...1_000_000),
      target: .integer(\.limits.requestsPerConnection),
      default: "0", rules: ["C7"],
      "Requests on one client connection before it is closed; 0 is no limit."),
  ]

  private static let moment = 1...3_600_000

  static let times: [Directive] = [
    Directive(
      "tls_handshake_timeout", .times, .duration(moment), target: .integer(\.timeouts.tlsHandshake),
      default: "10s", rules: ["C7"],
      "How long a TLS handshake with a client may take."),
    Directive(
      "request_header_timeout", .times, .duration(moment), target: .integer(\.timeouts.requestHeader),
      default: "30s", rules: ["C7"],
      "From the first octet of a request head to its last."),
    Directive(
      "request_idle_timeout", .times, .duration(moment), target: .integer(\.timeouts.requestIdle),
      default: "60s", rules: ["C4", "C7"],
      "How long no octet of a request's content may arrive.",
      "Not a total: an upload that moves is never cut off."),
    Directive(
      "response_idle_timeout", .times, .duration(moment), target: .integer(\.timeouts.responseIdle),
      default: "60s", rules: ["C4", "C7"],
      "How long a client may take no octet of its response.",
      "Not a total."),
    Directive(
      "keep_alive_timeout", .times, .duration(moment), target: .integer(\.timeouts.keepAlive), default: "75s",
      rules: ["C7"],
      "How long a client connection may be idle between requests.",
      "Behind a balancer, keep it above the balancer's own idle time, so that it is the balancer who closes."),
    Directive(
      "connect_timeout", .times, .duration(moment), target: .integer(\.timeouts.connect), default: "10s",
      rules: ["G2"],
      "Name resolution, TCP and TLS to the upstream, together."),
    Directive(
      "response_head_timeout", .times, .duration(moment), target: .integer(\.timeouts.responseHead),
      default: "5m", rules: ["C4", "G2"],
      "From the last octet of the request to the end of the response head; 504 after it.",
      "Activation and attestation are slow; give them at least the time that the SDK gives them."),
    Directive(
      "upstream_idle_timeout", .times, .duration(moment), target: .integer(\.timeouts.upstreamIdle),
      default: "5m", rules: ["C4"],
      "How long no octet may arrive from the upstream within a response.",
      "Not a total: a large file that moves is never cut off."),
    Directive(
      "upstream_keep_alive_timeout", .times, .duration(moment),
      target: .integer(\.timeouts.upstreamKeepAlive),
      default: "4s", rules: ["C1", "C2"],
      "How long an idle upstream connection is kept for the next request.",
      """
      Keep it below the upstream's own idle time. When both ends let go at the same moment, a request can meet a \
      connection that is closing. A GET is then sent again, once. A POST is not, because nobody knows whether the \
      upstream acted on it: the app gets a 502 for it (or a reset, see `on_upstream_failure`). Many servers close \
      idle connections after five seconds, balancers often after a minute.
      """),
    Directive(
      "upstream_max_age", .times, .duration(1...86_400_000), target: .integer(\.timeouts.upstreamMaxAge),
      default: "5m", rules: ["C2"],
      "An upstream connection older than this takes no further request.",
      "So that changes in DNS come through."),
    Directive(
      "drain_timeout", .times, .duration(0...86_400_000), target: .integer(\.timeouts.drain), default: "30s",
      "How long running exchanges may take after the gateway was told to stop.",
      "Keep it below the time after which the service manager kills."),
    Directive(
      "linger_timeout", .times, .duration(0...60_000), target: .integer(\.timeouts.linger), default: "5s",
      rules: ["R8", "B3"],
      "After an early answer or a refusal, how long the client's remaining octets are read and dropped.",
      "So that the answer is not lost to a reset."),
  ]
}
