import Downstream
import FieldPolicy
import GatewayConfig
import HTTP1
import HTTPMessage
import OriginClient
import Routing

/// From the operator's words to the shells' settings. Nothing is decided here.
extension Configuration {
  var routeTable: RouteTable {
    let rows = routes.map { route in
      Route(
        path: Array((prefix + route.path).utf8),
        origin: Origin(isTLS: route.upstream.isTLS, host: route.upstream.host, port: route.upstream.port),
        upstreamPath: Array(route.upstream.path.utf8), isThirdParty: route.thirdParty,
        redirectHosts: route.redirectHosts, name: route.path)
    }
    let names = serverNames.compactMap { name in
      Authority(Array((name.utf8.count { $0 == 0x3A } > 1 ? "[\(name)]" : name).utf8).span)
    }
    return RouteTable(routes: rows, serverNames: names)
  }

  var serviceSettings: ServiceSettings {
    var times = ServiceSettings.Times()
    times.tlsHandshake = timeouts.tlsHandshake
    times.requestHeader = timeouts.requestHeader
    times.requestIdle = timeouts.requestIdle
    times.responseIdle = timeouts.responseIdle
    times.keepAlive = timeouts.keepAlive
    times.responseHead = timeouts.responseHead
    times.upstreamIdle = timeouts.upstreamIdle
    times.linger = timeouts.linger
    return ServiceSettings(
      routes: routeTable,
      requestPolicy: RequestFieldPolicy(added: AddedFields(via: via, forwarded: forwarded)),
      responsePolicy: ResponseFieldPolicy(passesAltSvc: passAltSvc, addsVia: via),
      requestLimits: SectionLimits(octets: limits.requestHead, fields: limits.requestFields),
      responseLimits: SectionLimits(octets: limits.responseHead, fields: limits.responseFields),
      requestBodyLimit: limits.requestBody, requestsPerConnection: limits.requestsPerConnection,
      redirectLimit: limits.redirects, resetsOnUpstreamFailure: onUpstreamFailure == .reset, times: times)
  }

  var originSettings: OriginSettings {
    OriginSettings(
      caFile: upstreamCAFile,
      connectTo: connectTo,
      allowsPrivateAddresses: privateUpstreamAddresses,
      connectTimeoutMilliseconds: timeouts.connect, keepAliveMilliseconds: timeouts.upstreamKeepAlive,
      maximumAgeMilliseconds: timeouts.upstreamMaxAge, maximumIdle: limits.upstreamIdleConnections)
  }
}
