import HTTPMessage

/// Collects lines up to an empty one: a head with its start line, or a trailer section.
/// RFC 9112 sections 2.2 and 5.
///
/// Octets are kept as they came. A line is checked as soon as it is complete, so that a line that
/// ends in a bare LF is an error at once, and not when the peer tires of waiting.
struct SectionReader {
  enum Progress: Equatable {
    case needMore
    case startLine(Range<Int>)
    case end
  }

  /// Behind the lines that were read, octets may stand that belong to what follows; `end` takes them out again.
  var section = FieldSection()
  private var lineStart = 0
  /// No LF stands between `lineStart` and here.
  private var searched = 0
  private var wantsStartLine: Bool
  private var mayStartWithEmptyLine: Bool
  private let limits: SectionLimits

  /// Octets taken at a time: most heads are shorter, and content behind a head is not copied far.
  private static let step = 4096

  /// - Parameter allowsEmptyLineFirst: one empty line before a request is skipped, as RFC 9112 section 2.2 asks.
  init(limits: SectionLimits, hasStartLine: Bool, allowsEmptyLineFirst: Bool = false) {
    self.limits = limits
    wantsStartLine = hasStartLine
    mayStartWithEmptyLine = allowsEmptyLineFirst
  }

  /// Whether any octet of the section arrived.
  var hasStarted: Bool { !section.octets.isEmpty }

  mutating func reset(hasStartLine: Bool, allowsEmptyLineFirst: Bool = false) {
    section.reset()
    lineStart = 0
    searched = 0
    wantsStartLine = hasStartLine
    mayStartWithEmptyLine = allowsEmptyLineFirst
  }

  /// Takes octets from `input` at `offset` until the section ends or the input does. After `startLine` it is called
  /// again with the same input.
  mutating func read(_ input: Span<UInt8>, _ offset: inout Int) throws(ParseError) -> Progress {
    while true {
      while let end = nextLineEnd() {
        guard let progress = try takeLine(end) else { continue }
        if progress == .end { giveBack(&offset) }
        return progress
      }
      guard offset < input.count else { return .needMore }
      let room = limits.octets - section.octets.count
      guard room > 0 else { throw ParseError(.headTooLarge, at: section.octets.count) }
      let count = min(input.count - offset, room, SectionReader.step)
      input.extracting(offset..<offset + count).withUnsafeBufferPointer {
        section.octets.append(contentsOf: $0)
      }
      offset += count
    }
  }

  /// One past the LF of the line at `lineStart`, if it has arrived.
  private mutating func nextLineEnd() -> Int? {
    let count = section.octets.count
    let index = section.octets.span.indexOfLineFeed(from: searched)
    searched = index
    return index < count ? index + 1 : nil
  }

  /// What was taken behind the section's end goes back to the input.
  private mutating func giveBack(_ offset: inout Int) {
    let extra = section.octets.count - lineStart
    guard extra > 0 else { return }
    section.octets.removeLast(extra)
    offset -= extra
  }

  /// Checks the line that ends at `end`.
  private mutating func takeLine(_ end: Int) throws(ParseError) -> Progress? {
    let start = lineStart
    guard end - start >= 2, section.octets[end - 2] == 0x0D else {
      throw ParseError(.bareLineFeed, at: end - 1)
    }
    let textEnd = end - 2
    lineStart = end
    searched = end
    if textEnd == start {
      if wantsStartLine, mayStartWithEmptyLine {
        mayStartWithEmptyLine = false
        section.octets.removeFirst(end)
        lineStart = 0
        searched = 0
        return nil
      }
      if wantsStartLine { throw ParseError(.badRequestLine, at: start) }
      return .end
    }
    if wantsStartLine {
      wantsStartLine = false
      return .startLine(start..<textEnd)
    }
    guard section.lines.count < limits.fields else { throw ParseError(.tooManyFields, at: start) }
    let line = try SectionReader.parseFieldLine(section.octets.span, start, textEnd)
    if line.field == .connection { section.hasConnection = true }
    section.lines.append(line)
    return nil
  }

  private static func parseFieldLine(
    _ octets: Span<UInt8>, _ start: Int, _ end: Int
  ) throws(ParseError) -> FieldLine {
    var index = start
    while index < end, OctetClass.isToken(octets[index]) { index += 1 }
    let nameEnd = index
    guard nameEnd < end, octets[nameEnd] == 0x3A, nameEnd > start else {
      throw fieldNameError(octets, start, nameEnd, end)
    }
    index += 1
    while index < end, octets[index] == 0x20 || octets[index] == 0x09 { index += 1 }
    let valueStart = index
    let firstBad = octets.indexOfControlOctet(in: valueStart..<end)
    guard firstBad == end else { throw ParseError(.controlOctet, at: firstBad) }
    var valueEnd = end
    while valueEnd > valueStart, octets[valueEnd - 1] == 0x20 || octets[valueEnd - 1] == 0x09 {
      valueEnd -= 1
    }
    return FieldLine(
      field: KnownField(octets.extracting(start..<nameEnd)), start: start, nameEnd: nameEnd,
      valueStart: valueStart, valueEnd: valueEnd, end: end + 2)
  }

  /// Names what is wrong with a line whose name does not end in a colon.
  private static func fieldNameError(
    _ octets: Span<UInt8>, _ start: Int, _ nameEnd: Int, _ end: Int
  ) -> ParseError {
    if octets[start] == 0x20 || octets[start] == 0x09 { return ParseError(.foldedLine, at: start) }
    guard nameEnd < end else { return ParseError(.missingColon, at: start) }
    var index = nameEnd
    while index < end, octets[index] == 0x20 || octets[index] == 0x09 { index += 1 }
    if index > nameEnd, index < end, octets[index] == 0x3A {
      return ParseError(.spaceBeforeColon, at: nameEnd)
    }
    let isControl = !OctetClass.isFieldValue(octets[nameEnd])
    return ParseError(isControl ? .controlOctet : .badFieldName, at: nameEnd)
  }
}
