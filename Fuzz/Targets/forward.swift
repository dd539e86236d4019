import FieldPolicy
import HTTP1
import HTTPMessage
import Routing

private let origin = Origin(isTLS: true, host: "api.octetproof.com", port: 443)
private let archive = Origin(isTLS: true, host: "cddis.nasa.gov", port: 443)
private let table = RouteTable(
  routes: [
    Route(path: Array("/octet/v1/".utf8), origin: origin, upstreamPath: Array("/v1/".utf8), name: "/v1/"),
    Route(
      path: Array("/octet/ext/gnss/".utf8), origin: archive, upstreamPath: Array("/archive/".utf8),
      isThirdParty: true,
      name: "/ext/gnss/"),
    Route(path: Array("/".utf8), origin: origin, upstreamPath: Array("/".utf8), name: "/"),
  ], serverNames: [Authority(host: Array("gw.test".utf8), port: nil)])
private let open = RouteTable(routes: table.routes)

/// A request from its octets to the head that goes upstream.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard let (choice, octets) = split(start, count) else { return 0 }
  resolveRedirect(octets)
  var parser = RequestParser(limits: SectionLimits(octets: 8192, fields: 100))
  var offset = 0
  guard (try? parser.next(octets.span, &offset)) == .head else { return 0 }
  let head = parser.head
  let routes = choice & 1 == 0 ? table : open
  guard let match = try? routes.match(head) else { return 0 }
  let route = routes.routes[match.route]
  checkTarget(head, match, route)
  let policy = RequestFieldPolicy(added: AddedFields(via: choice & 2 != 0, forwarded: choice & 4 != 0))
  guard (try? policy.examine(head)) != nil else { return 0 }
  let destination = RequestFieldPolicy.Destination(
    pathPrefix: route.upstreamPath, tail: match.tail, authority: route.authority,
    isThirdParty: route.isThirdParty)
  var output: [UInt8] = []
  policy.write(head, to: destination, client: ClientIdentity(address: "::1", isTLS: true), into: &output)
  checkForwarded(output, head, route, added: (choice >> 1 & 1) + (choice >> 2 & 1))
  return 0
}

/// The target upstream is the route's path and the client's octets, and no reader finds another path in it.
private func checkTarget(_ head: RequestHead, _ match: RouteTable.Match, _ route: Route) {
  let octets = head.section.octets
  let pathStart = match.tail.lowerBound - route.path.count
  if Array(octets[pathStart..<match.tail.lowerBound]) != route.path { broken("another route's path") }
  if match.tail.upperBound != head.target.upperBound { broken("a tail that is cut") }
  let path = octets[match.tail].prefix { $0 != 0x3F }
  let text = String(decoding: route.upstreamPath + path, as: UTF8.self).lowercased()
    .replacing("%2e", with: ".").replacing("%2f", with: "/").replacing("%5c", with: "/").replacing(
      "\\", with: "/")
  for segment in text.split(separator: "/", omittingEmptySubsequences: false)
  where segment == "." || segment == ".." {
    broken("a dot segment in \(text)")
  }
}

private func checkForwarded(_ output: [UInt8], _ head: RequestHead, _ route: Route, added: UInt8) {
  var parser = RequestParser(limits: SectionLimits(octets: 1 << 20, fields: 200))
  var offset = 0
  guard (try? parser.next(output.span, &offset)) == .head, offset == output.count else {
    broken("a forwarded head that is none")
  }
  let sent = parser.head
  checkSection(sent.section)
  if sent.framing != head.framing { broken("another framing") }
  if sent.section.octets[sent.method] != head.section.octets[head.method] { broken("another method") }
  if sent.minorVersion != 1 || sent.wantsClose { broken("another version, or a close") }
  let came = head.section.lines.map { Array(head.section.octets[Int($0.start)..<Int($0.end)]) }
  var next = 0
  for line in sent.section.lines.dropLast(Int(added)) {
    let octets = Array(sent.section.octets[Int(line.start)..<Int(line.end)])
    switch line.field {
    case .host:
      if Array(sent.section.value(of: line)) != route.authority { broken("another host") }
    case .te:
      if Array(sent.section.value(of: line)) != Array("trailers".utf8) { broken("TE") }
    case .connection, .keepAlive, .proxyConnection, .proxyAuthorization, .trailer, .upgrade, .http2Settings:
      broken("a hop-by-hop line")
    case .authorization, .cookie, .xOctet:
      if route.isThirdParty { broken("a secret to a third party") }
      fallthrough
    default:
      while next < came.count, came[next] != octets { next += 1 }
      if next == came.count { broken("a line that did not come, or out of order") }
      next += 1
    }
  }
}

/// A redirect leads to an origin that the route allows, whatever the Location.
private func resolveRedirect(_ location: [UInt8]) {
  let route = table.routes.first { $0.isThirdParty } ?? table.routes[0]
  guard let redirect = Redirect.resolve(location: location.span, from: archive, route: route) else { return }
  if redirect.origin != archive || redirect.target.first != 0x2F { broken("a redirect to elsewhere") }
  if redirect.target.contains(where: { !OctetClass.isTarget($0) }) {
    broken("octets that split a request line")
  }
}
