extension Configuration {
  /// What the gateway would run with, for people: blocks in full, and of the rest what is not the default.
  package var summary: String {
    var lines: [String] = []
    let defaults = Configuration()
    if !prefix.isEmpty { lines.append("prefix = \(prefix)") }
    for listener in listeners {
      let address = listener.address.contains(":") ? "[\(listener.address)]" : listener.address
      let speaks = listener.certificate.map { "TLS, \($0), \(listener.certificateKey ?? "")" } ?? "plain HTTP"
      lines.append("listen \(address):\(listener.port): \(speaks)")
    }
    for route in routes {
      var line = "route \(route.path) -> \(route.upstream.text)"
      if route.thirdParty { line += ", third party" }
      if !route.redirectHosts.isEmpty {
        line += ", redirects to \(route.redirectHosts.joined(separator: " "))"
      }
      lines.append(line)
    }
    if !serverNames.isEmpty { lines.append("server_names = \(serverNames.joined(separator: " "))") }
    for rule in connectTo { lines.append("connect_to \(rule.text)") }
    if onUpstreamFailure != defaults.onUpstreamFailure {
      lines.append("on_upstream_failure = \(onUpstreamFailure.rawValue)")
    }
    for row in Directives.all {
      if let text = text(of: row), text != defaults.text(of: row) { lines.append("\(row.name) = \(text)") }
    }
    return lines.joined(separator: "\n")
  }

  /// The value of a directive that stands for one setting, as it would be written.
  private func text(of row: Directive) -> String? {
    switch row.target {
    case .integer(let path):
      switch row.kind {
      case .size: Size.text(self[keyPath: path])
      case .duration: Milliseconds.text(self[keyPath: path])
      default: "\(self[keyPath: path])"
      }
    case .flag(let path): self[keyPath: path] ? "on" : "off"
    case .log(let path): self[keyPath: path].text
    case .file(let path): self[keyPath: path]
    case .structure: nil
    }
  }
}
