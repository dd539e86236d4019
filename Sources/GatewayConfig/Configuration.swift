/// A resolved configuration: every directive checked and every default filled in. What the shells run on.
package struct Configuration: Equatable, Sendable {
  /// What every route path starts with, such as `/octet`; empty or starts with `/` and does not end in one.
  package var prefix: String
  package var listeners: [ListenerConfiguration]
  /// Names that Host and absolute-form targets may carry (rule T4); empty accepts any Host.
  package var serverNames: [String]
  /// Worker threads; 0 means one for each available core.
  package var workers: Int
  package var routes: [RouteConfiguration]
  /// PEM bundle that upstream certificates are verified against; nil is the system's trust store.
  package var upstreamCAFile: String?
  package var connectTo: [ConnectToRule]
  /// Whether an upstream *name* may resolve to a loopback, private or link-local address.
  package var privateUpstreamAddresses: Bool
  package var onUpstreamFailure: UpstreamFailurePolicy
  package var passAltSvc: Bool
  package var via: Bool
  package var forwarded: Bool
  package var accessLog: LogDestination
  package var errorLog: LogDestination
  package var limits: Limits
  package var timeouts: Timeouts

  package init(
    prefix: String = "", listeners: [ListenerConfiguration] = [], serverNames: [String] = [],
    workers: Int = 0, routes: [RouteConfiguration] = [], upstreamCAFile: String? = nil,
    connectTo: [ConnectToRule] = [], privateUpstreamAddresses: Bool = false,
    onUpstreamFailure: UpstreamFailurePolicy = .respond, passAltSvc: Bool = false, via: Bool = false,
    forwarded: Bool = false, accessLog: LogDestination = .standardOutput,
    errorLog: LogDestination = .standardError, limits: Limits = Limits(), timeouts: Timeouts = Timeouts()
  ) {
    self.prefix = prefix
    self.listeners = listeners
    self.serverNames = serverNames
    self.workers = workers
    self.routes = routes
    self.upstreamCAFile = upstreamCAFile
    self.connectTo = connectTo
    self.privateUpstreamAddresses = privateUpstreamAddresses
    self.onUpstreamFailure = onUpstreamFailure
    self.passAltSvc = passAltSvc
    self.via = via
    self.forwarded = forwarded
    self.accessLog = accessLog
    self.errorLog = errorLog
    self.limits = limits
    self.timeouts = timeouts
  }
}

/// One address to listen on; plain HTTP unless it has a certificate.
package struct ListenerConfiguration: Equatable, Sendable {
  /// An IPv4 or IPv6 literal, without brackets.
  package var address: String
  /// 0 lets the kernel choose (tests).
  package var port: UInt16
  /// PEM files; both or neither.
  package var certificate: String?
  package var certificateKey: String?

  package init(
    address: String, port: UInt16, certificate: String? = nil, certificateKey: String? = nil
  ) {
    self.address = address
    self.port = port
    self.certificate = certificate
    self.certificateKey = certificateKey
  }
}

package struct RouteConfiguration: Equatable, Sendable {
  /// Starts and ends with `/`; what the client sends is `prefix` + this + the rest.
  package var path: String
  package var upstream: UpstreamURL
  /// Rules X1 and X2 hold: no credentials out, no cookies back, redirects followed by the gateway or refused.
  package var thirdParty: Bool
  /// Host names, besides the upstream's own, to which the gateway may follow a redirect (third-party routes).
  package var redirectHosts: [String]

  package init(
    path: String, upstream: UpstreamURL, thirdParty: Bool = false, redirectHosts: [String] = []
  ) {
    self.path = path
    self.upstream = upstream
    self.thirdParty = thirdParty
    self.redirectHosts = redirectHosts
  }
}

/// `https://host[:port]/path/`, taken apart once, when the configuration is read.
package struct UpstreamURL: Equatable, Sendable {
  /// False for `http://`, which needs `plain_upstream = true` on its route.
  package var isTLS: Bool
  /// Lower-case name, or an address literal without brackets.
  package var host: String
  package var port: UInt16
  /// Starts and ends with `/`.
  package var path: String

  package init(isTLS: Bool, host: String, port: UInt16, path: String) {
    self.isTLS = isTLS
    self.host = host
    self.port = port
    self.path = path
  }
}

/// As curl's `--connect-to`: `host:port:to_host:to_port`; an empty part of the first pair matches any.
package struct ConnectToRule: Equatable, Sendable {
  package var host: String
  package var port: UInt16?
  package var toHost: String
  package var toPort: UInt16?

  package init(host: String, port: UInt16?, toHost: String, toPort: UInt16?) {
    self.host = host
    self.port = port
    self.toHost = toHost
    self.toPort = toPort
  }
}

/// What the client meets when the upstream can't be reached or answers garbage (rule G2).
package enum UpstreamFailurePolicy: String, Equatable, Sendable, CaseIterable {
  /// 502 or 504 with Proxy-Status; the SDK stays on the gateway.
  case respond
  /// The client's connection is reset, so that the SDK's `fallbackToDirect` can trip.
  case reset
}

package enum LogDestination: Equatable, Sendable {
  case off
  case standardOutput
  case standardError
  case file(String)
}

/// Sizes and counts; each is a bound on memory that a peer can claim.
package struct Limits: Equatable, Sendable {
  /// Octets of a request head, request line and field section together.
  package var requestHead = 65_536
  package var requestFields = 200
  /// Octets of a response head.
  package var responseHead = 131_072
  package var responseFields = 400
  /// Octets of a request's content.
  package var requestBody = 1_048_576
  /// Client connections, over all workers.
  package var connections = 4096
  /// Requests on one client connection before it is closed; 0 is no limit.
  package var requestsPerConnection = 0
  /// Idle upstream connections that each worker keeps, over all origins.
  package var upstreamIdleConnections = 1024
  /// Redirects that a third-party route follows for one request.
  package var redirects = 5

  package init() {}
}

/// Times in milliseconds.
package struct Timeouts: Equatable, Sendable {
  /// A TLS handshake with a client.
  package var tlsHandshake = 10_000
  /// From the first octet of a request head to its end.
  package var requestHeader = 30_000
  /// No octet of a request's content arrived for this long (not a total).
  package var requestIdle = 60_000
  /// A client that took no octet of its response for this long.
  package var responseIdle = 60_000
  /// An idle client connection between requests.
  package var keepAlive = 75_000
  /// Names, TCP and TLS to the upstream.
  package var connect = 10_000
  /// From the last request octet sent to the end of the response head.
  package var responseHead = 300_000
  /// No octet from the upstream within a response for this long (not a total).
  package var upstreamIdle = 300_000
  /// An idle upstream connection is closed after this; keep it below the upstream's own.
  package var upstreamKeepAlive = 4_000
  /// A connection older than this is not used again, so that DNS changes come through.
  package var upstreamMaxAge = 300_000
  /// After SIGTERM, how long running exchanges may take.
  package var drain = 30_000
  /// After an early answer or a refusal, how long the client's remaining octets are read and dropped.
  package var linger = 5_000

  package init() {}
}
