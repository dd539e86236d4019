package import GatewayConfig
import HTTPMessage
import OriginClient
import TLSEngine

/// One route and what a connection to its upstream came to.
package struct RouteCheck: Sendable, CustomStringConvertible {
  /// The path that clients use, the prefix included.
  package let path: String
  package let upstream: UpstreamURL
  private let probe: UpstreamProbe

  package var succeeded: Bool { probe.failure == nil }

  /// Connects to the upstream of every route, once to each origin; in the configuration's order.
  package static func all(_ configuration: Configuration) -> [RouteCheck] {
    let settings = configuration.originSettings
    var probes: [Origin: UpstreamProbe] = [:]
    return configuration.routes.map { route in
      let upstream = route.upstream
      let origin = Origin(isTLS: upstream.isTLS, host: upstream.host, port: upstream.port)
      let probe = probes[origin] ?? UpstreamProbe(origin, settings)
      probes[origin] = probe
      return RouteCheck(path: configuration.prefix + route.path, upstream: upstream, probe: probe)
    }
  }

  package var description: String {
    let way = "route \(path) -> \(upstream.text)"
    if let failure = probe.failure { return "\(way): FAILED: \(failure)\(addresses)" }
    return "\(way): ok: \(probe.dialled)\(addresses), \(probe.tlsVersion ?? "no TLS")\(certificates)"
  }

  private var addresses: String {
    probe.addresses.isEmpty ? "" : " (addresses: \(probe.addresses.joined(separator: " ")))"
  }

  /// The leaf, who issued it, who issued that; then when the leaf expires.
  private var certificates: String {
    guard let certificates = probe.certificates else { return "" }
    let names = certificates.chain.map(\.subject) + [certificates.chain.last?.issuer ?? ""]
    let isRootShown = names.count > 2 && names[names.count - 1] == names[names.count - 2]
    let chain = (isRootShown ? names.dropLast() : names[...]).joined(separator: ", issued by ")
    return ", certificate \(chain), \(certificates.daysLeft) days left"
  }
}
