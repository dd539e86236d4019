/// gateway.conf.example, made from the directive table: every directive explained, its default shown.
package enum ExampleFile {
  /// The whole file, ending in a line feed.
  package static func text() -> String {
    var parts = [heading]
    for topic in Directive.Topic.allCases {
      parts.append("# ---- \(topic.rawValue) ----")
      parts += Directives.all.filter { $0.topic == topic && $0.scope == .top }.map(directive)
    }
    return parts.joined(separator: "\n\n") + "\n"
  }

  private static let heading = """
    # Octet Gateway: every directive, with its default behind a #.
    #
    # Sizes have units (64KiB, 1MiB) or are octets; durations have units (500ms, 2s, 5m, 1h); switches are on or off.
    # ${NAME} and ${NAME:-default} stand for environment variables. `octet-gateway check` says what is wrong.
    # Made by `octet-gateway config-reference --example`; the reference is docs/CONFIGURATION.md.
    """

  private static func directive(_ row: Directive) -> String {
    switch row.name {
    case "listen": return comment(row) + "\n" + listenBlocks
    case "route": return comment(row) + "\n" + routeBlocks
    default: return comment(row) + "\n" + setting(row)
    }
  }

  /// Summary, details and kind, as comment lines.
  private static func comment(_ row: Directive, indent: String = "") -> String {
    var facts = row.kind.summary
    if let text = row.defaultText { facts += "; default \(text)" }
    let paragraphs = [row.summary] + row.details + ["(\(facts))"]
    return paragraphs.flatMap { wrapped($0.filter { $0 != "`" }, width: 108 - indent.utf8.count) }
      .map { "\(indent)# \($0)" }.joined(separator: "\n")
  }

  private static func setting(_ row: Directive) -> String {
    switch row.example {
    case .live(let text): "\(row.name) = \(row.scope == .listen ? "\"\(text)\"" : text)"
    case .commented(let text): "# \(row.name) = \(text)"
    }
  }

  private static var listenBlocks: String {
    block("listen \"0.0.0.0:8443\"", of: .listen) + "\n\n"
      + "# Plain HTTP, behind a balancer that ends TLS:\n# listen \"127.0.0.1:8080\" { }"
  }

  private static var routeBlocks: String {
    """
    \(block("route \"/v1/\"", of: .route))

    route "/ext/geo/" {
        upstream = "https://api.octetproof.com/ext/geo/"
    }

    # Only for the Android SDK:
    route "/ext/gnss/" {
        upstream = "https://cddis.nasa.gov/archive/gnss/data/daily/"
        third_party = on
    }
    """
  }

  private static func block(_ head: String, of scope: Directive.Scope) -> String {
    let indent = "    "
    let rows = Directives.all.filter { $0.scope == scope }
    let inner = rows.map { "\(comment($0, indent: indent))\n\(indent)\(setting($0))" }
    return "\(head) {\n\(inner.joined(separator: "\n\n"))\n}"
  }

  /// Words in lines of at most `width` characters, where a word is not longer.
  private static func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
