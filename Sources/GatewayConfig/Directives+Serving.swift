extension Directives {
  static let listening: [Directive] = [
    Directive(
      "listen", .listening, .block(title: "address:port"), example: .live("0.0.0.0:8443"),
      "An address to listen on; at least one is needed.",
      """
      The title is an IPv4 or IPv6 literal and a port: `"0.0.0.0:8443"`, `"[::]:8443"`. Names are not taken, for a \
      name could come to mean another address between two starts. Port 0 lets the kernel choose.
      """,
      """
      Without a certificate the address speaks plain HTTP, for a place behind a balancer that ends TLS. The SDK \
      itself asks for an `https` gateway.
      """),
    Directive(
      "certificate", in: .listen, .listening, .file,
      example: .live("/etc/octet-gateway/fullchain.pem"),
      "PEM file with the certificate and its chain, leaf first.",
      "Goes together with `certificate_key`. Whether the files can be read is checked when the gateway starts."
    ),
    Directive(
      "certificate_key", in: .listen, .listening, .file,
      example: .live("/etc/octet-gateway/privkey.pem"),
      "PEM file with the certificate's private key.",
      "Goes together with `certificate`."),
    Directive(
      "server_names", .listening, .names, example: .commented("{\"api.example.com\"}"), rules: ["T4"],
      "The host names under which clients know the gateway.",
      """
      A request whose Host or absolute-form target names another host is answered with 421. Without this directive \
      any Host is taken, and absolute-form targets are refused with 400. Names have no port and no wildcard.
      """),
    Directive(
      "workers", .listening, .count(0...1024), target: .integer(\.workers), default: "0",
      "Worker threads; 0 is one for each core."),
  ]

  static let routes: [Directive] = [
    Directive(
      "prefix", .routes, .prefix, default: "\"\"", example: .live("\"/octet\""), rules: ["T1"],
      "What every request path starts with, before the route's own path.",
      """
      The path of the gateway URL that the app is given: for `https://api.example.com/octet` write `"/octet"`. \
      Matching is on the octets as sent, and no letter's case is folded.
      """),
    Directive(
      "route", .routes, .block(title: "path"), example: .live("/v1/"), rules: ["T1", "T2"],
      "Sends the requests below a path to an upstream; at least one is needed.",
      """
      The title starts and ends with `/` and is compared octet by octet with what follows the prefix; `?`, `#`, `%`, \
      spaces and dot segments cannot stand in it. The longest route wins. What no route takes is answered with 404.
      """),
    Directive(
      "upstream", in: .route, .routes, .upstream, example: .live("\"https://api.octetproof.com/v1/\""),
      rules: ["T2", "C3", "F5"],
      "Where the route leads; every route needs one.",
      """
      `https://host[:port]/path/`, without user, query and fragment, and with a `/` at its end: the octets after the \
      route's path are added to it as they came. Host and SNI are taken from here and never from the client.
      """),
    Directive(
      "third_party", in: .route, .routes, .boolean, default: "off", rules: ["X1", "X2"],
      "The upstream is not Octet's: credentials stay here, its cookies too.",
      """
      Authorization, Cookie, Proxy-Authorization and X-Octet-* of the app are not sent, Set-Cookie is not returned, \
      and redirects are followed by the gateway or refused. Right for `/ext/gnss/`. Wrong for `/v1/` and `/ext/geo/`, \
      which need the app's Authorization.
      """),
    Directive(
      "redirect_hosts", in: .route, .routes, .names,
      example: .commented("{\"mirror.example.org\"}"), rules: ["X2"],
      "Hosts, besides the upstream's own, to which the gateway may follow a redirect.",
      """
      Only with `third_party = on`. See `redirect_limit`. Not for a login host: without credentials it answers with a \
      page, which the app would take for the file.
      """),
    Directive(
      "plain_upstream", in: .route, .routes, .boolean, default: "off", rules: ["C3"],
      "Allows an `http://` upstream on this route.",
      """
      Then nothing proves who answers, and everyone on the way reads the app's tokens. For tests and for a hop that \
      does not leave the machine.
      """),
  ]

  static let upstream: [Directive] = [
    Directive(
      "upstream_ca_file", .upstream, .file, target: .file(\.upstreamCAFile),
      example: .commented("\"/path/ca.pem\""), rules: ["C3"],
      "PEM bundle that upstream certificates are verified against.",
      "Replaces the system's trust store, which is used without this directive. Verification cannot be switched off."
    ),
    Directive(
      "connect_to", .upstream, .connectTo,
      example: .commented("{\"api.octetproof.com:443:127.0.0.1:9443\"}"), rules: ["C3"],
      "Connects elsewhere than the upstream's name says, as curl's `--connect-to`.",
      """
      `host:port:to_host:to_port`, IPv6 addresses in brackets. An empty `host` or `port` matches any; an empty \
      `to_host` or `to_port` leaves that half as it is. Host, SNI and the certificate check keep the upstream's own \
      name. The first rule that matches counts. For tests and split-horizon networks.
      """),
    Directive(
      "private_upstream_addresses", .upstream, .boolean, target: .flag(\.privateUpstreamAddresses),
      default: "off",
      "Whether an upstream's name may resolve to a loopback, private or link-local address.",
      """
      Off, a poisoned or mistaken DNS answer cannot lead the gateway into your own network. An address that is \
      written in `upstream` or `connect_to` is meant, and not affected.
      """),
    Directive(
      "upstream_idle_connections", .upstream, .count(0...65536),
      target: .integer(\.limits.upstreamIdleConnections),
      default: "1024", rules: ["C2"],
      "Idle upstream connections that each worker keeps, over all origins."),
    Directive(
      "redirect_limit", .upstream, .count(0...20), target: .integer(\.limits.redirects), default: "5",
      rules: ["X2"],
      "Redirects that a third-party route follows for one request; 0 follows none."),
  ]

  static let failure: [Directive] = [
    Directive(
      "on_upstream_failure", .failure, .choice(UpstreamFailurePolicy.allCases.map(\.rawValue)),
      default: "\"respond\"", rules: ["G2"],
      "What the app meets when the upstream can't be reached or answers garbage.",
      """
      `"respond"` answers 502, or 504 when time ran out, with Proxy-Status and a problem document. The SDK counts only \
      transport failures (connect, TLS, DNS, time-out) towards `fallbackToDirect` and never a status. So the app \
      stays on its one domain for as long as the upstream is away, and its calls fail with a status.
      """,
      """
      `"reset"` aborts the client's connection instead. The SDK sees a transport failure, and where the app has set \
      `fallbackToDirect`, after `fallbackAfterFailures` of them in a row (3 unless the app says otherwise) its \
      critical calls go straight to api.octetproof.com until the gateway recovers. That helps when the gateway's own \
      way to Octet is broken and the phone's is not. It also breaks the promise of one domain.
      """,
      """
      Choose `"respond"` when the app must talk to one domain only, or when `fallbackToDirect` is off, for then a \
      reset hides from the app's logs what went wrong and wins nothing. Choose `"reset"` when proofs must get through \
      and the app has `fallbackToDirect` on. A status that the upstream itself sent, 5xx included, is relayed either way.
      """)
  ]

  static let fields: [Directive] = [
    Directive(
      "via", .fields, .boolean, target: .flag(\.via), default: "off", rules: ["F4"],
      "Adds a Via field line to requests and responses.",
      "Off, because the vendor asks for the request as it was: a declared exception to RFC 9110 section 7.6.3."
    ),
    Directive(
      "forwarded", .fields, .boolean, target: .flag(\.forwarded), default: "off", rules: ["F4"],
      "Adds a Forwarded field line (RFC 7239) with the client's address to requests.",
      "On, the upstream learns the address of each phone."),
    Directive(
      "pass_alt_svc", .fields, .boolean, target: .flag(\.passAltSvc), default: "off", rules: ["R4"],
      "Leaves Alt-Svc in responses.",
      "On, clients may take the upstream's QUIC port for the gateway's own and try to reach it there."),
  ]

  static let logs: [Directive] = [
    Directive(
      "access_log", .logs, .log, target: .log(\.accessLog), default: "\"stdout\"", rules: ["L1"],
      "Where the one line for each request goes, with the rule of a refusal and the error of a failure.",
      "It never holds queries, tokens, cookies or content."),
    Directive(
      "error_log", .logs, .log, target: .log(\.errorLog), default: "\"stderr\"", rules: ["L1"],
      "Where the gateway's own messages go: start, drain, limits that were reached.",
      "With `access_log = off`, refused and failed requests have their lines here."),
  ]
}
