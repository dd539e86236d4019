extension UpstreamURL {
  /// `https://host[:port]/path/`; `http://` parses too, and whether it may be used is for the route to say.
  package static func parse(_ text: String) throws(ValueError) -> UpstreamURL {
    let form = "write it as \"https://api.octetproof.com/v1/\""
    let scheme = text.prefix(8).lowercased()
    let isTLS = scheme == "https://"
    guard isTLS || scheme.hasPrefix("http://") else {
      throw ValueError("the upstream \(quoted(text)) does not start with https://", form)
    }
    let rest = text.dropFirst(isTLS ? 8 : 7)
    for (character, what) in [("?", "a query"), ("#", "a fragment")] where rest.contains(character) {
      throw ValueError("the upstream \(quoted(text)) has \(what)", "end it in the / of its path")
    }
    let authority = String(rest.prefix { $0 != "/" })
    guard !authority.contains("@") else {
      // The text is not repeated: what stands before the @ may be a secret.
      throw ValueError("the upstream has a user before its host", form)
    }
    let parts = try HostAndPort.split(authority)
    let host = try Host.parse(parts.host)
    let port: UInt16
    if let text = parts.port { port = try HostAndPort.port(text) } else { port = isTLS ? 443 : 80 }
    let path = String(rest.dropFirst(authority.count))
    guard !path.isEmpty else {
      throw ValueError("the upstream \(quoted(text)) has no path", "end it in /, as in \(quoted(text + "/"))")
    }
    try PathSyntax.checkUpstream(path)
    return UpstreamURL(isTLS: isTLS, host: host.text, port: port, path: path)
  }

  /// As it would be written, with the port only where it is not the scheme's own.
  package var text: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return "\(isTLS ? "https" : "http")://\(name)\(port == (isTLS ? 443 : 80) ? "" : ":\(port)")\(path)"
  }
}

/// A listen address, comparable whatever its spelling.
struct ListenAddress: Hashable {
  var text: String
  var octets: [UInt8]
  var port: UInt16

  static func == (left: ListenAddress, right: ListenAddress) -> Bool {
    left.octets == right.octets && left.port == right.port
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(octets)
    hasher.combine(port)
  }

  /// `address:port`; a literal, since a name could come to mean another address between two starts.
  static func parse(_ text: String) throws(ValueError) -> ListenAddress {
    let form = "write an address and a port, such as \"0.0.0.0:8443\" or \"[::]:8443\""
    let parts = try HostAndPort.split(text)
    guard let port = parts.port else { throw ValueError("\(quoted(text)) has no port", form) }
    if parts.host.isEmpty { throw ValueError("\(quoted(text)) has no address", form) }
    switch try Host.parse(parts.host) {
    case .name(let name):
      throw ValueError("\(quoted(name)) is a name, and listen takes addresses only", form)
    case .ipv4(let address, let octets), .ipv6(let address, let octets):
      return ListenAddress(text: address, octets: octets, port: try HostAndPort.port(port, from: 0))
    }
  }
}

extension ConnectToRule {
  /// `host:port:to_host:to_port`; IPv6 literals in brackets. Empty parts match any, or leave as it is.
  package static func parse(_ text: String) throws(ValueError) -> ConnectToRule {
    let form = "write host:port:to_host:to_port, such as \"api.octetproof.com:443:127.0.0.1:9443\""
    let parts = try fields(of: text)
    guard parts.count == 4 else { throw ValueError("\(quoted(text)) does not have four parts", form) }
    guard !parts[2].isEmpty || !parts[3].isEmpty else {
      throw ValueError("\(quoted(text)) changes neither host nor port", form)
    }
    return ConnectToRule(
      host: try host(parts[0]), port: try port(parts[1]), toHost: try host(parts[2]),
      toPort: try port(parts[3]))
  }

  /// As it would be written.
  package var text: String {
    let names = [host, toHost].map { $0.contains(":") ? "[\($0)]" : $0 }
    let ports = [port, toPort].map { $0.map { "\($0)" } ?? "" }
    return "\(names[0]):\(ports[0]):\(names[1]):\(ports[1])"
  }

  /// Whether it changes where connections to an origin go.
  func matches(_ upstream: UpstreamURL) -> Bool {
    (host.isEmpty || host == upstream.host) && (port == nil || port == upstream.port)
  }

  private static func host(_ text: String) throws(ValueError) -> String {
    text.isEmpty ? "" : try Host.parse(text).text
  }

  private static func port(_ text: String) throws(ValueError) -> UInt16? {
    text.isEmpty ? nil : try HostAndPort.port(text)
  }

  /// Splits at the colons that are not within brackets.
  private static func fields(of text: String) throws(ValueError) -> [String] {
    var parts = [""]
    var isBracketed = false
    for character in text {
      switch character {
      case "[": isBracketed = true
      case "]": isBracketed = false
      case ":" where !isBracketed:
        parts.append("")
        continue
      default: break
      }
      parts[parts.count - 1].append(character)
    }
    return parts
  }
}
