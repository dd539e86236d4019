import HTTPMessage

/// The framing fields of one head; every contradiction is an error. RFC 9112 sections 6.1 to 6.3, rules B3 and R6.
struct FramingFields {
  private var length: UInt64?
  private var isChunked = false

  mutating func take(_ line: FieldLine, of section: FieldSection) throws(ParseError) {
    let value = section.octets.span.extracting(Int(line.valueStart)..<Int(line.valueEnd))
    if line.field == .contentLength {
      guard length == nil else { throw ParseError(.severalContentLengths, at: Int(line.start)) }
      guard let parsed = FramingFields.contentLength(value) else {
        throw ParseError(.badContentLength, at: Int(line.valueStart))
      }
      length = parsed
    } else {
      guard !isChunked, value.equalsIgnoringCase("chunked") else {
        throw ParseError(.badTransferEncoding, at: Int(line.valueStart))
      }
      isChunked = true
    }
  }

  /// - Returns: nil when no field says how long the content is.
  func resolve(minorVersion: UInt8) throws(ParseError) -> BodyFraming? {
    if isChunked {
      guard length == nil else { throw ParseError(.lengthWithTransferEncoding) }
      guard minorVersion == 1 else { throw ParseError(.transferEncodingOnVersion10) }
      return .chunked
    }
    return length.map { .length($0) }
  }

  /// `1*DIGIT`, at most 18 of them, so that no sum of ours overflows. RFC 9110 section 8.6.
  static func contentLength(_ digits: Span<UInt8>) -> UInt64? {
    guard !digits.isEmpty, digits.count <= 18 else { return nil }
    var value: UInt64 = 0
    for index in 0..<digits.count {
      guard OctetClass.isDigit(digits[index]) else { return nil }
      value = value * 10 + UInt64(digits[index] - 0x30)
    }
    return value
  }
}

/// Members of Connection and TE that the gateway acts on. RFC 9110 sections 7.6.1 and 10.1.4.
enum ConnectionOptions {
  static func wantsClose(_ line: FieldLine, of section: FieldSection) -> Bool {
    var found = false
    section.forEachElement(of: line) { if $0.equalsIgnoringCase("close") { found = true } }
    return found
  }

  static func acceptsTrailers(_ line: FieldLine, of section: FieldSection) -> Bool {
    var found = false
    section.forEachElement(of: line) { if $0.equalsIgnoringCase("trailers") { found = true } }
    return found
  }
}
