import ByteFeeder
import FieldPolicy
import HTTP1
import HTTPMessage

/// The responses to one request: equal events whatever the cuts, and heads that another parser of ours reads again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard let (choice, octets) = split(start, count) else { return 0 }
  let limits = SectionLimits(octets: choice & 8 == 0 ? 4096 : 96, fields: choice & 16 == 0 ? 100 : 3)
  let endings: [ConnectionEnd] = [.open, .clean, .cut]
  let feed = ResponseFeed(
    limits: limits, answersHead: choice & 1 != 0, ending: endings[Int(choice >> 1 & 3) % 3])
  for event in checkCuts(octets, choice: choice, make: { feed }) {
    guard case .response(let head) = event else { continue }
    checkSection(head.section)
    if head.status == 101 || !(100...999).contains(head.status) { broken("status \(head.status)") }
    relay(head, choice)
  }
  return 0
}

private func relay(_ head: ResponseHead, _ choice: UInt8) {
  let version = choice >> 5 & 1
  let framing = ResponseFieldPolicy.framing(head, clientMinorVersion: version)
  let isThirdParty = choice & 64 != 0
  let context = ResponseFieldPolicy.Context(isThirdParty: isThirdParty, framing: framing, closes: false)
  var output: [UInt8] = []
  if head.isInterim {
    ResponseFieldPolicy().writeInterim(head, isThirdParty: isThirdParty, into: &output)
  } else {
    ResponseFieldPolicy().write(head, context, date: Array("NOW".utf8), into: &output)
  }
  var parser = ResponseParser(limits: SectionLimits(octets: 1 << 20, fields: 200))
  parser.startNext(answersHead: head.framing == .none && !head.isInterim)
  var offset = 0
  guard (try? parser.next(output.span, &offset)) == .head, offset == output.count else {
    broken("a relayed head that is none")
  }
  let relayed = parser.head
  if relayed.status != head.status { broken("another status") }
  if relayed.section.octets[relayed.reason] != head.section.octets[head.reason] {
    broken("another reason phrase")
  }
  for line in relayed.section.lines {
    switch line.field {
    case .connection, .keepAlive, .proxyConnection, .proxyAuthorization, .te, .trailer, .upgrade,
      .http2Settings, .altSvc:
      broken("a hop-by-hop line")
    case .setCookie where isThirdParty: broken("a third party's cookie")
    default: break
    }
  }
  if !head.isInterim, relayed.framing == .untilClose, version == 1 { broken("a response without an end") }
  if case .length = head.framing, relayed.framing != head.framing { broken("another length") }
}
