extension Resolver {
  /// Settings that are each possible and together, or with this vendor, likely a mistake.
  mutating func checkRelations() {
    checkLimits()
    checkTimes()
    for (route, line) in routes { checkRoute(route, line) }
    guard let line = lines["connect_to"], isComplete, !routes.isEmpty else { return }
    for rule in configuration.connectTo where !routes.contains(where: { rule.matches($0.route.upstream) }) {
      // A redirect of a third-party route may still lead to it.
      if routes.contains(where: { $0.route.redirectHosts.contains(rule.host) }) { continue }
      warn(line, "`connect_to`: \(quoted(rule.text)) matches no upstream", "check its host and port")
    }
  }

  private mutating func checkLimits() {
    let limits = configuration.limits
    // 256 KiB of proof in base64, padding included.
    let encodedProof = 349_528
    if let line = lines["request_body_limit"], limits.requestBody < encodedProof {
      warn(
        line, "`request_body_limit`: proofs of 256 KiB are refused, which the vendor asks to pass (rule B4)",
        "write at least \(encodedProof), which is 256 KiB in base64")
    }
    if let line = lines["request_head_limit"], limits.requestHead < 8192 {
      warn(
        line, "`request_head_limit`: RFC 9112 section 3 asks for request lines of 8000 octets (rule F6)",
        "write at least 8KiB")
    }
  }

  private mutating func checkTimes() {
    let times = configuration.timeouts
    if let line = lines["response_head_timeout"], times.responseHead < 60_000 {
      warn(
        line, "`response_head_timeout`: activation and attestation may take longer (rule C4)",
        "write at least 60s; the default is 5m")
    }
    if let line = lines["upstream_keep_alive_timeout"], times.upstreamKeepAlive > 60_000 {
      warn(
        line,
        "`upstream_keep_alive_timeout`: few servers keep idle connections for so long, and a POST that meets "
          + "a closing one is not repeated (rule C1)",
        "keep it below the upstream's own idle time")
    }
    if let line = lines["upstream_max_age"] ?? lines["upstream_keep_alive_timeout"],
      times.upstreamMaxAge < times.upstreamKeepAlive
    {
      warn(
        line, "`upstream_max_age` is below `upstream_keep_alive_timeout`, which then never ends (rule C2)",
        "write a higher upstream_max_age")
    }
    if let line = lines["drain_timeout"] ?? lines["linger_timeout"], times.drain < times.linger {
      warn(
        line, "`drain_timeout` is below `linger_timeout`: last answers may be lost to a reset (rule R8)",
        "write a higher drain_timeout")
    }
  }

  private mutating func checkRoute(_ route: RouteConfiguration, _ line: Int) {
    let isLookup = route.path.hasPrefix("/ext/gnss/") || route.path.hasPrefix("/ext/ipgeo/")
    if isLookup, !route.thirdParty {
      warn(
        line, "\(quoted(route.path)) is a third party's service and would get the app's tokens (rule X1)",
        "write third_party = on in this route")
    }
    let isOctet = route.upstream.host == "octetproof.com" || route.upstream.host.hasSuffix(".octetproof.com")
    if isOctet, route.thirdParty {
      warn(
        line, "Octet's own API needs the app's Authorization, which third_party = on keeps back (rule X1)",
        "leave third_party out of this route")
    }
    if !route.redirectHosts.isEmpty, configuration.limits.redirects == 0 {
      warn(
        lines["redirect_limit"] ?? line, "`redirect_limit` is 0, so redirect_hosts never matters (rule X2)",
        "write a higher redirect_limit, or leave redirect_hosts out")
    }
  }
}
