import HTTP1
import HTTPMessage
import Routing

/// A request head as the parser gives it; nil when the parser refuses it.
func requestHead(
  _ target: [UInt8], method: String = "GET", host: String = "gw.test"
) -> RequestHead? {
  var parser = RequestParser(limits: SectionLimits(octets: 8192, fields: 10))
  let octets = Array("\(method) ".utf8) + target + Array(" HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8)
  var offset = 0
  guard (try? parser.next(octets.span, &offset)) == .head else { return nil }
  return parser.head
}

let firstParty = Origin(isTLS: true, host: "api.octetproof.com", port: 443)
let archive = Origin(isTLS: true, host: "cddis.nasa.gov", port: 443)

func route(_ path: String, to upstreamPath: String = "/", origin: Origin = firstParty) -> Route {
  Route(path: Array(path.utf8), origin: origin, upstreamPath: Array(upstreamPath.utf8), name: path)
}

/// What a request comes to: the upstream target, or the refusal's status and rule.
func outcome(_ table: RouteTable, _ head: RequestHead?) -> String {
  guard let head else { return "unparsed" }
  do throws(Refusal) {
    let match = try table.match(head)
    let target = table.routes[match.route].upstreamPath + head.section.octets[match.tail]
    return String(decoding: target, as: UTF8.self)
  } catch {
    return "\(error.status) \(error.rule)"
  }
}

func outcome(
  _ table: RouteTable, _ target: String, method: String = "GET", host: String = "gw.test"
) -> String {
  outcome(table, requestHead(Array(target.utf8), method: method, host: host))
}
