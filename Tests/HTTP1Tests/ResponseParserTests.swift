import ByteFeeder
import HTTP1
import HTTPMessage
import Testing

@Suite("Response parser (RFC 9112 sections 4 and 6.3; rules R3, R5, R6 and C1)")
struct ResponseParserTests {
  private static let limits = SectionLimits(octets: 8192, fields: 100)

  private func feed(_ text: String, answersHead: Bool = false) -> [FedEvent] {
    let feed = ResponseFeed(limits: Self.limits, answersHead: answersHead, ending: .clean)
    return ByteFeeder.feed(Array(text.utf8), make: { feed }) { Issue.record("\($0)") }
  }

  @Test("frames every status code by the rules", arguments: 100...999)
  func statuses(code: Int) {
    let events = feed(
      "HTTP/1.1 \(code) \r\nContent-Length: 2\r\n\r\n\(code < 200 ? "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\n" : "")ok"
    )
    guard code != 101 else { return #expect(events == [.failed(.switchingProtocols)]) }
    guard case .response(let head) = events.first else {
      Issue.record("no head: \(events)")
      return
    }
    #expect(head.status == code)
    #expect(head.isInterim == (code < 200))
    if code == 204 || code == 304 {
      #expect(Array(events.dropFirst()) == [.end(FieldSection()), .rest(Array("ok".utf8))])
    } else {
      #expect(Array(events.suffix(2)) == [.content(Array("ok".utf8)), .end(FieldSection())])
    }
    let toHead = feed("HTTP/1.1 \(code) \r\nContent-Length: 2\r\n\r\n", answersHead: true)
    #expect(toHead.last == (code < 200 ? .failed(.closedInHead) : .end(FieldSection())))
  }

  @Test("takes every octet in a reason phrase that a value may hold", arguments: UInt8.min...UInt8.max)
  func reasonOctet(octet: UInt8) {
    let octets = Array("HTTP/1.1 200 a".utf8) + [octet] + Array("b\r\nContent-Length: 0\r\n\r\n".utf8)
    let events = ByteFeeder.feed(octets, make: { ResponseFeed(limits: Self.limits) }) {
      Issue.record("\($0)")
    }
    if OctetClass.isFieldValue(octet) {
      #expect(events.last == .end(FieldSection()))
    } else {
      #expect(events == [.failed(octet == 0x0A ? .bareLineFeed : .controlOctet)])
    }
  }

  @Test("knows whether any octet of a response has come, interim ones counted (C1)")
  func hasOctets() throws {
    var parser = ResponseParser(limits: Self.limits)
    parser.startNext(answersHead: false)
    var offset = 0
    #expect(try parser.next([UInt8]().span, &offset) == .needMore)
    #expect(!parser.hasOctets)
    let interim = Array("HTTP/1.1 103 \r\n\r\n".utf8)
    #expect(try parser.next(interim.span, &offset) == .head)
    #expect(try parser.next(interim.span, &offset) == .needMore)
    #expect(parser.hasOctets)
    #expect(throws: ParseError(.closedInHead)) { try parser.finish(cleanly: true) }
    parser.startNext(answersHead: false)
    #expect(!parser.hasOctets)
    #expect(throws: ParseError(.closedBeforeHead)) { try parser.finish(cleanly: true) }
  }

  @Test("leaves nothing of one response in the next on its connection")
  func nextResponse() throws {
    var parser = ResponseParser(limits: Self.limits)
    parser.startNext(answersHead: true)
    var offset = 0
    let first = Array("HTTP/1.0 200 OK\r\nTransfer-encoding: chunked\r\n\r\n".utf8)
    #expect(throws: ParseError(.transferEncodingOnVersion10)) { try parser.next(first.span, &offset) }
    parser.startNext(answersHead: false)
    offset = 0
    let second = Array("HTTP/1.1 201 Yes\r\nContent-Length: 1\r\n\r\nx".utf8)
    #expect(try parser.next(second.span, &offset) == .head)
    #expect(parser.head.framing == .length(1))
    #expect(!parser.head.wantsClose)
    #expect(parser.head.section.lines.count == 1)
    #expect(try parser.next(second.span, &offset) == .content(second.count - 1..<second.count))
    #expect(try parser.next(second.span, &offset) == .end)
    #expect(try parser.finish(cleanly: false) == .end)
  }
}
