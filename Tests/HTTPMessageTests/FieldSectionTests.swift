import HTTPMessage
import Testing

@Suite("Field sections (RFC 9110 sections 5.3 and 5.6.1)")
struct FieldSectionTests {
  private func elements(_ value: String) -> [String] {
    var section = FieldSection()
    section.octets = Array("X:\(value)\r\n".utf8)
    let line = FieldLine(
      field: .other, start: 0, nameEnd: 1, valueStart: 2, valueEnd: 2 + value.utf8.count,
      end: section.octets.count)
    var found: [String] = []
    section.forEachElement(of: line) { element in
      found.append(String(decoding: element.withUnsafeBufferPointer { Array($0) }, as: UTF8.self))
    }
    return found
  }

  @Test("gives a list's elements without white space and empty ones")
  func givesElements() {
    #expect(elements("").isEmpty)
    #expect(elements(",, \t,").isEmpty)
    #expect(elements("close") == ["close"])
    #expect(elements(" a ,\tb\t,,c d,") == ["a", "b", "c d"])
    #expect(elements("a;q=0.5, b") == ["a;q=0.5", "b"])
  }

  @Test("forgets everything but small storage")
  func forgets() {
    var head = RequestHead()
    head.section.octets = [UInt8](repeating: 1, count: 100_000)
    head.wantsClose = true
    head.acceptsTrailers = true
    head.framing = .chunked
    head.minorVersion = 0
    head.reset()
    #expect(head == RequestHead())
    #expect(head.section.octets.capacity < 4096)
    var response = ResponseHead()
    response.status = 204
    response.framing = .untilClose
    response.wantsClose = true
    response.reset()
    #expect(response == ResponseHead())
  }

  @Test("knows which methods may be repeated (C1)")
  func idempotent() {
    func isIdempotent(_ method: String) -> Bool {
      MethodSemantics(Array(method.utf8).span).isIdempotent
    }
    for method in ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"] { #expect(isIdempotent(method)) }
    for method in ["POST", "PATCH", "get", "GETS", "GE", "PROPFIND", "CONNECT", ""] {
      #expect(!isIdempotent(method))
    }
  }
}
