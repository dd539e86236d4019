package import HTTPMessage

/// Reads requests from a connection's octets: heads checked to the letter, content as ranges.
/// RFC 9112; rules F6 and B3.
///
/// Octets in, events out; the same events whatever the cuts. After an error nothing more may be fed:
/// the octets behind a refused head are never read as a request.
package struct RequestParser {
  private enum State {
    case head
    case body
    case done
  }

  /// The current request's head, complete once `head` was returned.
  package private(set) var head = RequestHead()
  /// Whether a head has begun and is not complete.
  package private(set) var isInsideHead = false
  /// Whether the request's last octet was taken, so that `end` follows without another one.
  package private(set) var isExhausted = false
  private var state = State.head
  private var reader: SectionReader
  private var body: BodyDecoder
  private let limits: SectionLimits

  package init(limits: SectionLimits) {
    self.limits = limits
    reader = SectionReader(limits: limits, hasStartLine: true, allowsEmptyLineFirst: true)
    body = BodyDecoder(.none, trailerLimits: limits)
  }

  /// The trailer section of a chunked request that has ended.
  package var trailers: FieldSection { body.trailers }

  /// Makes ready for the connection's next request.
  package mutating func startNext() {
    state = .head
    isInsideHead = false
    isExhausted = false
    head.reset()
    swap(&reader.section, &head.section)
    reader.reset(hasStartLine: true, allowsEmptyLineFirst: true)
  }

  /// The next event in `input` from `offset` on; moves `offset` past what it used.
  package mutating func next(
    _ input: Span<UInt8>, _ offset: inout Int
  ) throws(ParseError) -> MessageEvent {
    switch state {
    case .head:
      return try readHead(input, &offset)
    case .body:
      let event = try body.next(input, &offset)
      isExhausted = body.isExhausted
      if event == .end { state = .done }
      return event
    case .done:
      return .end
    }
  }

  private mutating func readHead(
    _ input: Span<UInt8>, _ offset: inout Int
  ) throws(ParseError) -> MessageEvent {
    while true {
      switch try reader.read(input, &offset) {
      case .needMore:
        isInsideHead = reader.hasStarted
        return .needMore
      case .startLine(let line):
        let parsed = try RequestLine(reader.section.octets.span, line)
        head.method = parsed.method
        head.target = parsed.target
        head.semantics = parsed.semantics
        head.minorVersion = parsed.minorVersion
      case .end:
        swap(&head.section, &reader.section)
        isInsideHead = false
        try examineFields()
        body = BodyDecoder(head.framing, trailerLimits: limits)
        state = .body
        return .head
      }
    }
  }

  private mutating func examineFields() throws(ParseError) {
    var hosts = 0
    var framing = FramingFields()
    head.wantsClose = head.minorVersion == 0
    for line in head.section.lines {
      switch line.field {
      case .host:
        hosts += 1
      case .contentLength, .transferEncoding:
        try framing.take(line, of: head.section)
      case .connection:
        if ConnectionOptions.wantsClose(line, of: head.section) { head.wantsClose = true }
      case .te:
        if ConnectionOptions.acceptsTrailers(line, of: head.section) { head.acceptsTrailers = true }
      default:
        break
      }
    }
    guard hosts == 1 else { throw ParseError(hosts == 0 ? .missingHost : .severalHosts) }
    head.framing = try framing.resolve(minorVersion: head.minorVersion) ?? .none
  }
}
