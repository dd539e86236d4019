import ByteFeeder
import HTTPMessage
import ScriptedPeers

/// Events as a case file shows them.
enum EventText {
  static func lines(_ events: [FedEvent]) -> [String] {
    events.flatMap { event -> [String] in
      switch event {
      case .request(let head): request(head)
      case .response(let head): response(head)
      case .content(let octets): ["content \(octets.count): \(flat(octets))"]
      case .end(let trailers): ["end"] + fields(trailers)
      case .failed(let reason): ["error \(reason)"]
      case .rest(let octets): ["not read: \(flat(octets))"]
      case .incomplete: ["incomplete"]
      }
    }
  }

  private static func request(_ head: RequestHead) -> [String] {
    let octets = head.section.octets
    var line = "request \(flat(octets[head.method])) \(flat(octets[head.target])) 1.\(head.minorVersion)"
    line += " \(framing(head.framing))"
    if head.wantsClose { line += ", wants close" }
    if head.acceptsTrailers { line += ", accepts trailers" }
    return [line] + fields(head.section)
  }

  private static func response(_ head: ResponseHead) -> [String] {
    var line = "response \(head.status) '\(flat(head.section.octets[head.reason]))' 1.\(head.minorVersion)"
    line += " \(framing(head.framing))"
    if head.wantsClose { line += ", wants close" }
    return [line] + fields(head.section)
  }

  private static func framing(_ framing: BodyFraming) -> String {
    switch framing {
    case .none: "no content"
    case .length(let count): "length \(count)"
    case .chunked: "chunked"
    case .untilClose: "until close"
    }
  }

  /// The kind is shown for the fields that the gateway has a rule for.
  private static func fields(_ section: FieldSection) -> [String] {
    section.lines.map { line in
      let kind = line.field == .other ? "" : " (\(line.field))"
      return "  \(flat(section.name(of: line))) = '\(flat(section.value(of: line)))'\(kind)"
    }
  }

  private static func flat(_ octets: some Collection<UInt8>) -> String {
    Octets.text(octets).replacing("\n", with: "")
  }
}
