package import HTTPMessage

/// Where a third party's redirect leads, and whether the gateway may go there. Rule X2.
package struct Redirect: Equatable, Sendable {
  package var origin: Origin
  /// Path and query for the request line; starts with `/`.
  package var target: [UInt8]

  /// - Parameters:
  ///   - location: the Location field's octets; only `https` URIs and paths from the root are followed.
  ///   - origin: whom the redirect came from.
  /// - Returns: nil when the redirect may not be followed.
  package static func resolve(
    location: Span<UInt8>, from origin: Origin, route: Route
  ) -> Redirect? {
    var end = location.count
    for index in 0..<location.count {
      if location[index] == 0x23 {  // A fragment is for the user agent. RFC 9110 section 10.2.2.
        end = index
        break
      }
      guard OctetClass.isTarget(location[index]) else { return nil }
    }
    let reference = location.extracting(0..<end)
    guard !reference.isEmpty else { return nil }
    if reference[0] == 0x2F {
      guard reference.count == 1 || (reference[1] != 0x2F && reference[1] != 0x5C) else { return nil }
      return make(reference, origin, route)
    }
    guard reference.count > 8, reference.extracting(first: 8).equalsIgnoringCase("https://") else {
      return nil
    }
    var pathStart = 8
    while pathStart < end, reference[pathStart] != 0x2F, reference[pathStart] != 0x3F { pathStart += 1 }
    guard let authority = Authority(reference.extracting(8..<pathStart)) else { return nil }
    // An origin's host is a literal without its brackets.
    let isLiteral = authority.host.first == 0x5B
    let octets = isLiteral ? authority.host.dropFirst().dropLast() : authority.host[...]
    guard let host = String(validating: octets, as: UTF8.self) else { return nil }
    let next = Origin(isTLS: true, host: host, port: authority.port ?? 443)
    return make(reference.extracting(pathStart..<end), next, route)
  }

  private static func make(_ path: Span<UInt8>, _ origin: Origin, _ route: Route) -> Redirect? {
    guard origin.isTLS || origin == route.origin, isAllowed(origin, route) else { return nil }
    var target: [UInt8] = []
    if path.isEmpty || path[0] != 0x2F { target.append(0x2F) }
    path.withUnsafeBufferPointer { target.append(contentsOf: $0) }
    let pathEnd = target.firstIndex(of: 0x3F) ?? target.count
    guard (try? PathCheck.examine(target.span.extracting(0..<pathEnd))) != nil else { return nil }
    return Redirect(origin: origin, target: target)
  }

  private static func isAllowed(_ origin: Origin, _ route: Route) -> Bool {
    if origin == route.origin { return true }
    return origin.port == 443 && route.redirectHosts.contains(origin.host)
  }
}
