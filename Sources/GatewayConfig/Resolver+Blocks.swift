extension Resolver {
  mutating func resolveListen(_ directive: RawDirective) {
    var certificate: (path: String?, line: Int)?
    var key: (path: String?, line: Int)?
    for (inner, row) in known(directive.body ?? [], in: .listen) {
      let path = inner.values.first.flatMap(\.self)
      if row.name == "certificate" { certificate = (path, inner.line) } else { key = (path, inner.line) }
      attempt(inner) { resolver throws(ValueError) in
        if let path { _ = try resolver.filePath(path) }
      }
    }
    if isComplete {
      if let certificate, key == nil {
        report(
          certificate.line, "`certificate` stands without `certificate_key`",
          "write both, or neither for plain HTTP")
      } else if let key, certificate == nil {
        report(
          key.line, "`certificate_key` stands without `certificate`", "write both, or neither for plain HTTP")
      }
    }
    guard let title = directive.values.first.flatMap(\.self) else { return }
    attempt(directive) { resolver throws(ValueError) in
      let address = try ListenAddress.parse(title)
      let twin = resolver.addresses.first { $0.address == address }
      if let twin, address.port != 0 {
        throw ValueError(
          "\(quoted(title)) is listened on already, on line \(twin.line)", "write each address once")
      }
      resolver.addresses.append((address, directive.line))
      resolver.configuration.listeners.append(
        ListenerConfiguration(
          address: address.text, port: address.port, certificate: certificate?.path ?? nil,
          certificateKey: key?.path ?? nil))
    }
  }

  mutating func resolveRoute(_ directive: RawDirective) {
    var parts = RouteParts()
    for (inner, row) in known(directive.body ?? [], in: .route) {
      parts.lines[row.name] = inner.line
      attempt(inner) { resolver throws(ValueError) in
        let texts = inner.values.compactMap(\.self)
        guard texts.count == inner.values.count, let text = texts.first else { return }
        switch row.name {
        case "upstream": parts.upstream = try UpstreamURL.parse(text)
        case "third_party": parts.thirdParty = try Bool.parse(text)
        case "plain_upstream": parts.plainUpstream = try Bool.parse(text)
        default: parts.redirectHosts = try resolver.hostNames(texts)
        }
      }
    }
    if isComplete, parts.lines["upstream"] == nil {
      report(
        directive.line, "this `route` has no upstream",
        "write one in it, such as upstream = \"https://api.octetproof.com/v1/\"")
    }
    checkConflicts(parts)
    guard let path = directive.values.first.flatMap(\.self) else { return }
    attempt(directive) { resolver throws(ValueError) in
      try PathSyntax.checkRoute(path)
      if let twin = resolver.routePaths[path] {
        throw ValueError("\(quoted(path)) has a route already, on line \(twin)", "write each path once")
      }
      resolver.routePaths[path] = directive.line
      guard let upstream = parts.upstream else { return }
      resolver.routes.append(
        (
          RouteConfiguration(
            path: path, upstream: upstream, thirdParty: parts.thirdParty, redirectHosts: parts.redirectHosts),
          parts.lines["upstream"] ?? directive.line
        ))
    }
  }

  private mutating func checkConflicts(_ parts: RouteParts) {
    if let upstream = parts.upstream, let line = parts.lines["upstream"] {
      if !upstream.isTLS, !parts.plainUpstream, isComplete || parts.lines["plain_upstream"] != nil {
        report(
          line,
          "`upstream`: an http:// upstream proves nothing about who answers and shows the app's tokens (rule C3)",
          "write https://, or plain_upstream = on in this route if that is meant")
      }
      if upstream.isTLS, parts.plainUpstream, let line = parts.lines["plain_upstream"] {
        report(line, "`plain_upstream` is on and the upstream is https://", "leave plain_upstream out")
      }
    }
    if let line = parts.lines["redirect_hosts"], !parts.thirdParty,
      isComplete || parts.lines["third_party"] != nil
    {
      report(
        line,
        "`redirect_hosts` is for third-party routes: on others the app gets redirects as they come (rule R1)",
        "leave it out, or write third_party = on if the upstream is not Octet's")
    }
  }
}

/// What a route block said, before its path is looked at.
private struct RouteParts {
  var upstream: UpstreamURL?
  var thirdParty = false
  var plainUpstream = false
  var redirectHosts: [String] = []
  /// Where each directive of the block stands, valid or not.
  var lines: [String: Int] = [:]
}
