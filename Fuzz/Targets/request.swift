import ByteFeeder
import HTTP1
import HTTPMessage

/// Requests of one connection: equal events whatever the cuts, and heads that are what the octets say.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard let (choice, octets) = split(start, count) else { return 0 }
  let limits = SectionLimits(octets: choice & 1 == 0 ? 4096 : 96, fields: choice & 2 == 0 ? 100 : 3)
  let events = checkCuts(octets, choice: choice) { RequestFeed(limits: limits) }
  for event in events {
    guard case .request(let head) = event else { continue }
    if head.section.octets.count > limits.octets { broken("a head over its limit") }
    if head.section.lines.count > limits.fields { broken("more lines than the limit") }
    if head.method.isEmpty || head.target.isEmpty { broken("an empty method or target") }
    if head.section.lines.filter({ $0.field == .host }).count != 1 { broken("not one Host") }
    checkSection(head.section)
  }
  return 0
}
