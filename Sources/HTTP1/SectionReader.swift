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

  var section = FieldSection()
  private var lineStart = 0
  private var wantsStartLine: Bool
  private var mayStartWithEmptyLine: Bool
  private let limits: SectionLimits

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
    wantsStartLine = hasStartLine
    mayStartWithEmptyLine = allowsEmptyLineFirst
  }

  /// Takes octets from `input` at `offset` until the section ends or the input does.
  mutating func read(_ input: Span<UInt8>, _ offset: inout Int) throws(ParseError) -> Progress {
    while offset < input.count {
      var index = offset
      let end = input.count
      while index < end, input[index] != 0x0A { index += 1 }
      let isLine = index < end
      if isLine { index += 1 }
      guard section.octets.count + (index - offset) <= limits.octets else {
        offset = index
        throw ParseError(.headTooLarge, at: section.octets.count)
      }
      append(input.extracting(offset..<index))
      offset = index
      guard isLine else { return .needMore }
      if let progress = try takeLine() { return progress }
    }
    return .needMore
  }

  private mutating func append(_ octets: Span<UInt8>) {
    octets.withUnsafeBufferPointer { section.octets.append(contentsOf: $0) }
  }

  /// Checks the line that has just become complete.
  private mutating func takeLine() throws(ParseError) -> Progress? {
    let start = lineStart
    let end = section.octets.count
    guard end - start >= 2, section.octets[end - 2] == 0x0D else {
      throw ParseError(.bareLineFeed, at: end - 1)
    }
    let textEnd = end - 2
    lineStart = end
    if textEnd == start {
      if wantsStartLine, mayStartWithEmptyLine {
        mayStartWithEmptyLine = false
        section.octets.removeAll(keepingCapacity: true)
        lineStart = 0
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
    section.lines.append(try parseFieldLine(start, textEnd))
    return nil
  }

  private func parseFieldLine(_ start: Int, _ end: Int) throws(ParseError) -> FieldLine {
    let octets = section.octets.span
    var index = start
    while index < end, OctetClass.isToken(octets[index]) { index += 1 }
    let nameEnd = index
    guard nameEnd < end, octets[nameEnd] == 0x3A, nameEnd > start else {
      throw fieldNameError(octets, start, nameEnd, end)
    }
    index += 1
    while index < end, octets[index] == 0x20 || octets[index] == 0x09 { index += 1 }
    let valueStart = index
    while index < end {
      guard OctetClass.isFieldValue(octets[index]) else { throw ParseError(.controlOctet, at: index) }
      index += 1
    }
    var valueEnd = end
    while valueEnd > valueStart, octets[valueEnd - 1] == 0x20 || octets[valueEnd - 1] == 0x09 {
      valueEnd -= 1
    }
    return FieldLine(
      field: KnownField(octets.extracting(start..<nameEnd)), start: start, nameEnd: nameEnd,
      valueStart: valueStart, valueEnd: valueEnd, end: end + 2)
  }

  /// Names what is wrong with a line whose name does not end in a colon.
  private func fieldNameError(
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
