package import HTTPMessage

/// Reads responses from an upstream connection's octets. RFC 9112; rule R6: what is ambiguous is an
/// error, never repaired.
package struct ResponseParser {
  private enum State {
    case head
    case body
    case done
  }

  package private(set) var head = ResponseHead()
  /// Whether any octet of the current response (interim ones counted) has arrived; decides repeats (rule C1).
  package private(set) var hasOctets = false
  private var state = State.head
  private var reader: SectionReader
  private var body: BodyDecoder
  private var answersHead = false
  private let limits: SectionLimits

  package init(limits: SectionLimits) {
    self.limits = limits
    reader = SectionReader(limits: limits, hasStartLine: true)
    body = BodyDecoder(.none, trailerLimits: limits)
  }

  /// The trailer section of a chunked response that has ended.
  package var trailers: FieldSection { body.trailers }

  /// Makes ready for the response to a next request on this connection.
  package mutating func startNext(answersHead: Bool) {
    self.answersHead = answersHead
    hasOctets = false
    restartHead()
  }

  private mutating func restartHead() {
    state = .head
    head.reset()
    swap(&reader.section, &head.section)
    reader.reset(hasStartLine: true)
  }

  /// The next event in `input` from `offset` on. After an interim `head` the next one follows.
  package mutating func next(
    _ input: Span<UInt8>, _ offset: inout Int
  ) throws(ParseError) -> MessageEvent {
    if offset < input.count { hasOctets = true }
    switch state {
    case .head:
      return try readHead(input, &offset)
    case .body:
      if head.isInterim {
        restartHead()
        return try readHead(input, &offset)
      }
      let event = try body.next(input, &offset)
      if event == .end { state = .done }
      return event
    case .done:
      return .end
    }
  }

  /// The upstream ended its side.
  /// - Parameter cleanly: FIN on a plain connection, close_notify on a TLS one; nothing else.
  /// - Returns: `end` when that is how this response ends.
  package mutating func finish(cleanly: Bool) throws(ParseError) -> MessageEvent {
    switch state {
    case .done:
      return .end
    case .head:
      throw ParseError(hasOctets ? .closedInHead : .closedBeforeHead)
    case .body:
      if head.isInterim { throw ParseError(.closedInHead) }
      guard cleanly, body.endsWithConnection else { throw ParseError(.closedInBody) }
      state = .done
      return .end
    }
  }

  private mutating func readHead(
    _ input: Span<UInt8>, _ offset: inout Int
  ) throws(ParseError) -> MessageEvent {
    while true {
      switch try reader.read(input, &offset) {
      case .needMore:
        return .needMore
      case .startLine(let line):
        let parsed = try StatusLine(reader.section.octets.span, line)
        head.status = parsed.status
        head.reason = parsed.reason
        head.minorVersion = parsed.minorVersion
      case .end:
        swap(&head.section, &reader.section)
        try examineFields()
        body = BodyDecoder(head.framing, trailerLimits: limits)
        state = .body
        return .head
      }
    }
  }

  private mutating func examineFields() throws(ParseError) {
    guard head.status != 101 else { throw ParseError(.switchingProtocols) }
    var framing = FramingFields()
    head.wantsClose = head.minorVersion == 0
    for line in head.section.lines {
      switch line.field {
      case .contentLength, .transferEncoding:
        try framing.take(line, of: head.section)
      case .connection:
        if ConnectionOptions.wantsClose(line, of: head.section) { head.wantsClose = true }
      default:
        break
      }
    }
    let declared = try framing.resolve(minorVersion: head.minorVersion)
    let hasNoContent =
      answersHead || head.isInterim || head.status == 204 || head.status == 304
    head.framing = hasNoContent ? .none : declared ?? .untilClose
  }
}
