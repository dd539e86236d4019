/// A row of a gateway's route table, as a test or the demo knows it.
package struct ExpectedRoute: Sendable {
  /// Under the gateway's prefix; starts and ends with `/`.
  package let path: String
  package let upstreamHost: String
  package let upstreamPath: String
  package let isThirdParty: Bool

  /// A row; nothing is checked.
  package init(path: String, upstreamHost: String, upstreamPath: String, isThirdParty: Bool = false) {
    self.path = path
    self.upstreamHost = upstreamHost
    self.upstreamPath = upstreamPath
    self.isThirdParty = isThirdParty
  }
}

/// What a head must have become on the other side, by the changes the forwarding contract allows and no other.
package struct ExpectedHead: Equatable {
  /// The head in literal octets; Transfer-Encoding is left out, see ``withoutTransferEncoding(_:)``.
  package let octets: [UInt8]
  /// The allowed changes that were made, for the report.
  package let changes: [String]

  /// Fields that end at each hop. RFC 9110 section 7.6.1.
  private static let hopByHop: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "proxy-authorization", "proxy-authenticate", "te",
    "transfer-encoding", "trailer", "upgrade", "http2-settings",
  ]

  /// The upstream's head for a client's: prefix cut, Host replaced in place, hop-by-hop fields removed, and on a
  /// third party's route the app's credentials too.
  package static func request(_ client: WireHead, prefix: String, route: ExpectedRoute) -> ExpectedHead {
    let from = "\(client.method) \(prefix)\(route.path)"
    let to = "\(client.method) \(route.upstreamPath)"
    var changes = ["\(prefix) cut"]
    if route.path != route.upstreamPath { changes.append("\(route.path) is \(route.upstreamPath) upstream") }
    var lines = client.lines
    if lines.first?.starts(with: Array(from.utf8)) == true {
      lines[0] = Array(to.utf8) + lines[0].dropFirst(from.utf8.count)
    }
    return make(client, lines, changes) { name, line in
      if name == "host" {
        changes.append("Host \(value(line)) is \(route.upstreamHost)")
        let start = line.count - value(line).utf8.count
        return Array(line[..<start]) + Array(route.upstreamHost.utf8)
      }
      let isOurs = name.hasPrefix("x-octet-") || ["authorization", "cookie"].contains(name)
      return route.isThirdParty && isOurs ? nil : line
    } note: {
      changes
    }
  }

  /// The client's head for an upstream's: hop-by-hop fields and Alt-Svc removed, a third party's cookies too.
  package static func response(_ upstream: WireHead, route: ExpectedRoute) -> ExpectedHead {
    make(upstream, upstream.lines, []) { name, line in
      name == "alt-svc" || route.isThirdParty && name == "set-cookie" ? nil : line
    } note: {
      []
    }
  }

  /// The head without its Transfer-Encoding lines: framing belongs to each hop, so their place is free.
  package static func withoutTransferEncoding(_ head: WireHead) -> [UInt8] {
    join(
      head.lines.enumerated().filter { $0.offset == 0 || name($0.element) != "transfer-encoding" }.map(
        \.element))
  }

  private static func make(
    _ head: WireHead, _ lines: [[UInt8]], _ changes: [String], _ change: (String, [UInt8]) -> [UInt8]?,
    note: () -> [String]
  ) -> ExpectedHead {
    let named = Set(
      head.values("Connection").flatMap { $0.split(separator: ",") }.map {
        $0.filter { $0 != " " && $0 != "\t" }.lowercased()
      })
    var kept = Array(lines.prefix(1))
    var removed: [String] = []
    for line in lines.dropFirst() {
      let name = name(line)
      if hopByHop.contains(name) || named.contains(name) {
        if name != "transfer-encoding" { removed.append(name) }
      } else if let changed = change(name, line) {
        kept.append(changed)
      } else {
        removed.append(name)
      }
    }
    let all = note() + (removed.isEmpty ? [] : ["removed " + removed.joined(separator: ", ")])
    return ExpectedHead(octets: join(kept), changes: all)
  }

  private static func name(_ line: [UInt8]) -> String {
    String(decoding: line.prefix { $0 != 0x3A }, as: UTF8.self).lowercased()
  }

  private static func value(_ line: [UInt8]) -> String {
    let value = line.drop { $0 != 0x3A }.dropFirst().drop { $0 == 0x20 || $0 == 0x09 }
    return String(decoding: value, as: UTF8.self)
  }

  private static func join(_ lines: [[UInt8]]) -> [UInt8] {
    lines.flatMap { $0 + [0x0D, 0x0A] } + [0x0D, 0x0A]
  }
}
