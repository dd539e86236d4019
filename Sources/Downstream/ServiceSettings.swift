package import FieldPolicy
package import HTTP1
package import Routing

/// What all connections of all workers have in common; a value, read only.
package struct ServiceSettings: Sendable {
  package var routes: RouteTable
  package var requestPolicy: RequestFieldPolicy
  package var responsePolicy: ResponseFieldPolicy
  package var requestLimits: SectionLimits
  package var responseLimits: SectionLimits
  /// Octets of a request's content.
  package var requestBodyLimit: Int
  /// 0 is no limit.
  package var requestsPerConnection: Int
  package var redirectLimit: Int
  package var resetsOnUpstreamFailure: Bool
  package var times: Times

  /// In milliseconds.
  package struct Times: Sendable {
    package var tlsHandshake = 10_000
    package var requestHeader = 30_000
    package var requestIdle = 60_000
    package var responseIdle = 60_000
    package var keepAlive = 75_000
    package var responseHead = 300_000
    package var upstreamIdle = 300_000
    package var linger = 5_000

    package init() {}
  }

  package init(
    routes: RouteTable, requestPolicy: RequestFieldPolicy, responsePolicy: ResponseFieldPolicy,
    requestLimits: SectionLimits, responseLimits: SectionLimits, requestBodyLimit: Int,
    requestsPerConnection: Int, redirectLimit: Int, resetsOnUpstreamFailure: Bool, times: Times
  ) {
    self.routes = routes
    self.requestPolicy = requestPolicy
    self.responsePolicy = responsePolicy
    self.requestLimits = requestLimits
    self.responseLimits = responseLimits
    self.requestBodyLimit = requestBodyLimit
    self.requestsPerConnection = requestsPerConnection
    self.redirectLimit = redirectLimit
    self.resetsOnUpstreamFailure = resetsOnUpstreamFailure
    self.times = times
  }
}
