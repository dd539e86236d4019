import ByteFeeder
import HTTP1
import HTTPMessage
import Testing

/// The reason for which these octets are refused, however they are cut; nil when they are a whole request.
func requestError(
  _ octets: [UInt8], limits: SectionLimits = SectionLimits(octets: 8192, fields: 100)
) -> ParseError.Reason? {
  let events = ByteFeeder.feed(octets, make: { RequestFeed(limits: limits) }) { Issue.record("\($0)") }
  if case .failed(let reason) = events.last { return reason }
  guard case .end = events.last else {
    Issue.record("neither whole nor refused: \(events)")
    return nil
  }
  return nil
}

@Suite("Request parser (RFC 9112 sections 2, 3 and 5; rules F6 and T3)")
struct RequestParserTests {
  private static let limits = SectionLimits(octets: 8192, fields: 100)
  private let rest = Array(" / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)

  @Test("takes token octets in a method and no others", arguments: UInt8.min...UInt8.max)
  func methodOctet(octet: UInt8) {
    let reason = requestError([0x41, octet, 0x42] + rest)
    switch octet {
    case 0x0A: #expect(reason == .bareLineFeed)
    case 0x20: #expect(reason == .badTarget)  // `A B / HTTP/1.1`
    default: #expect(reason == (OctetClass.isToken(octet) ? nil : .badRequestLine))
    }
  }

  @Test("takes every octet in a target that T3 lets pass", arguments: UInt8.min...UInt8.max)
  func targetOctet(octet: UInt8) {
    let octets = Array("GET /a".utf8) + [octet] + Array("b HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    let expected: ParseError.Reason? =
      octet == 0x0A ? .bareLineFeed : OctetClass.isTarget(octet) ? nil : .badTarget
    #expect(requestError(octets) == expected)
  }

  @Test("takes token octets in a name and no others", arguments: UInt8.min...UInt8.max)
  func nameOctet(octet: UInt8) {
    let octets = Array("GET / HTTP/1.1\r\nHost: a\r\nX".utf8) + [octet] + Array("Y: 1\r\n\r\n".utf8)
    let expected: ParseError.Reason? =
      switch octet {
      case 0x0A: .bareLineFeed
      case 0x3A: nil  // The colon: a shorter name.
      case 0..<0x20 where octet != 0x09: .controlOctet
      default: OctetClass.isToken(octet) ? nil : .badFieldName
      }
    #expect(requestError(octets) == expected)
  }

  @Test("takes every octet in a value but control octets (F1)", arguments: UInt8.min...UInt8.max)
  func valueOctet(octet: UInt8) {
    for place in ["", "a"] {
      let octets = Array("GET / HTTP/1.1\r\nHost: a\r\nX: \(place)".utf8) + [octet] + Array("b\r\n\r\n".utf8)
      let expected: ParseError.Reason? =
        octet == 0x0A ? .bareLineFeed : OctetClass.isFieldValue(octet) ? nil : .controlOctet
      #expect(requestError(octets) == expected)
    }
  }

  @Test("takes no version octet but those of HTTP/1.0 and HTTP/1.1", arguments: 0..<8)
  func versionOctet(index: Int) {
    for octet in UInt8.min...UInt8.max {
      var version = Array("HTTP/1.1".utf8)
      version[index] = octet
      let octets = Array("GET / ".utf8) + version + Array("\r\nHost: a\r\n\r\n".utf8)
      let isKnown = version == Array("HTTP/1.1".utf8) || version == Array("HTTP/1.0".utf8)
      #expect((requestError(octets) == nil) == isKnown)
    }
  }

  @Test(
    "keeps heads of 4000 to 65000 octets under a limit as large (Z01)",
    arguments: [4000, 8100, 16_300, 65_000])
  func largeHeads(size: Int) {
    let octets = Array("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: size))\r\n\r\n".utf8)
    let exact = SectionLimits(octets: octets.count, fields: 2)
    let short = SectionLimits(octets: octets.count - 1, fields: 2)
    #expect(ByteFeeder.run(octets, cuts: [], RequestFeed(limits: exact)).count == 2)
    for cuts in [[], Array(1..<octets.count), [size / 2]] {
      #expect(ByteFeeder.run(octets, cuts: cuts, RequestFeed(limits: short)) == [.failed(.headTooLarge)])
    }
  }

  @Test("says whether octets of a head have arrived (C7)")
  func insideHead() throws {
    var parser = RequestParser(limits: Self.limits)
    var offset = 0
    func feed(_ text: String) throws -> MessageEvent {
      offset = 0
      return try parser.next(Array(text.utf8).span, &offset)
    }
    #expect(!parser.isInsideHead)
    #expect(try feed("\r\n") == .needMore)
    #expect(!parser.isInsideHead)
    #expect(try feed("G") == .needMore)
    #expect(parser.isInsideHead)
    #expect(try feed("ET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n") == .head)
    #expect(!parser.isInsideHead)
    #expect(try feed("") == .needMore)
    #expect(try feed("x") == .content(0..<1))
    #expect(try feed("") == .end)
    #expect(try feed("GET") == .end)  // Until the next one is begun, its octets wait.
    #expect(offset == 0)
    parser.startNext()
    #expect(!parser.isInsideHead)
    #expect(parser.head == RequestHead())
  }

  @Test(
    "gives every reason an answer of 400, or 431 over a limit (F6, B3)", arguments: ParseError.Reason.allCases
  )
  func refusals(reason: ParseError.Reason) {
    let refusal = ParseError(reason).refusal
    let isLimit = reason == .headTooLarge || reason == .tooManyFields
    #expect(refusal.status == (isLimit ? 431 : 400))
    #expect(["F6", "B3", "B5", "T3"].contains(refusal.rule.description))
  }
}
