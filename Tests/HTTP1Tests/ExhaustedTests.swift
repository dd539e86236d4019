import HTTP1
import HTTPMessage
import ScriptedPeers
import Testing

/// The shell stops reading while the upstream is full; it must still see an end that needs no more octets.
@Suite("RequestParser: a request whose last octet was taken")
struct ExhaustedTests {
  private func events(_ text: String) throws -> [(event: MessageEvent, isExhausted: Bool)] {
    let input = octets(text)
    var parser = RequestParser(limits: SectionLimits(octets: 4096, fields: 50))
    var offset = 0
    var events: [(MessageEvent, Bool)] = []
    while events.last.map({ $0.0 != .end && $0.0 != .needMore }) ?? true {
      events.append((try parser.next(input.span, &offset), parser.isExhausted))
    }
    return events
  }

  @Test("says so with its last content, before the end is asked for")
  func withLastContent() throws {
    let events = try events("POST /a HTTP/1.1⏎Host: a⏎Content-Length: 3⏎⏎abc")
    #expect(events.map(\.isExhausted) == [false, true, true])
    #expect(events.last?.event == .end)
  }

  @Test(
    "does not say so while octets are missing",
    arguments: [
      "POST /a HTTP/1.1⏎Host: a⏎Content-Length: 4⏎⏎abc",
      "POST /a HTTP/1.1⏎Host: a⏎Transfer-Encoding: chunked⏎⏎3⏎abc⏎",
    ])
  func whileMissing(text: String) throws {
    #expect(try events(text).allSatisfy { !$0.isExhausted })
  }
}
