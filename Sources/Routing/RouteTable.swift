package import HTTPMessage

/// One row of the route table. Rules T1, T2 and X1.
package struct Route: Equatable, Sendable {
  /// The configuration's prefix and the route's path: starts and ends with `/`.
  package var path: [UInt8]
  package var origin: Origin
  /// What takes the place of `path`: starts and ends with `/`.
  package var upstreamPath: [UInt8]
  package var isThirdParty: Bool
  /// Lower-case host names to which a redirect may be followed, besides the origin's own.
  package var redirectHosts: [String]
  /// The route's path without the prefix, for logs.
  package var name: String
  /// The Host field's value upstream.
  package let authority: [UInt8]

  package init(
    path: [UInt8], origin: Origin, upstreamPath: [UInt8], isThirdParty: Bool = false,
    redirectHosts: [String] = [], name: String
  ) {
    self.path = path
    self.origin = origin
    self.upstreamPath = upstreamPath
    self.isThirdParty = isThirdParty
    self.redirectHosts = redirectHosts
    self.name = name
    authority = Array(origin.authority.utf8)
  }
}

/// Which route a request takes, on raw octets. Built once; the longest path wins.
package struct RouteTable: Equatable, Sendable {
  package let routes: [Route]
  /// Empty: any Host is accepted, and no absolute-form target.
  package let serverNames: [Authority]

  package struct Match: Equatable, Sendable {
    /// Index into `routes`.
    package var route: Int
    /// The target's octets behind the route's path, query included.
    package var tail: Range<Int>
  }

  package init(routes: [Route], serverNames: [Authority] = []) {
    self.routes = routes.sorted { $0.path.count > $1.path.count }
    self.serverNames = serverNames
  }

  /// - Throws: 400, 404, 405 or 421; the upstream then gets nothing.
  package func match(_ head: RequestHead) throws(Refusal) -> Match {
    if head.semantics.isRefused {
      throw Refusal(405, "T4", "CONNECT and TRACE are not forwarded")
    }
    let octets = head.section.octets.span
    let target = try RequestTarget(octets, head.target)
    try checkNames(target.authority, head)
    let path = octets.extracting(target.pathAndQuery.lowerBound..<target.pathEnd)
    for index in routes.indices where path.starts(with: routes[index].path) {
      let tail = target.pathAndQuery.lowerBound + routes[index].path.count
      return Match(route: index, tail: tail..<target.pathAndQuery.upperBound)
    }
    throw Refusal(404, "T1", "no route for this path; matching is on raw octets and case-sensitive")
  }

  private func checkNames(_ authority: Authority?, _ head: RequestHead) throws(Refusal) {
    if let authority {
      if serverNames.isEmpty {
        throw Refusal(400, "T4", "an absolute-form target needs server_names to be set")
      }
      guard isServed(authority) else {
        throw Refusal(421, "T4", "the target's authority is not one of server_names")
      }
    }
    guard let line = head.section.first(.host) else {
      throw Refusal(400, "F6", "the request has no Host field")
    }
    let value = head.section.octets.span.extracting(Int(line.valueStart)..<Int(line.valueEnd))
    if serverNames.isEmpty, Authority.isValid(value) { return }
    guard let host = Authority(value) else {
      throw Refusal(400, "F6", "Host is not a host name or literal with an optional port")
    }
    guard isServed(host) else { throw Refusal(421, "T4", "Host is not one of server_names") }
  }

  /// A name without a port is served on any port.
  private func isServed(_ authority: Authority) -> Bool {
    serverNames.contains { name in
      name.host == authority.host && (name.port == nil || name.port == authority.port)
    }
  }
}
