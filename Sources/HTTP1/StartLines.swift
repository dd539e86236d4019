import HTTPMessage

/// `method SP target SP HTTP-version`, one space each. RFC 9112 section 3.
struct RequestLine {
  let method: Range<Int>
  let target: Range<Int>
  let minorVersion: UInt8
  let semantics: MethodSemantics

  init(_ octets: Span<UInt8>, _ line: Range<Int>) throws(ParseError) {
    var index = line.lowerBound
    while index < line.upperBound, OctetClass.isToken(octets[index]) { index += 1 }
    guard index > line.lowerBound, index < line.upperBound, octets[index] == 0x20 else {
      throw ParseError(.badRequestLine, at: index)
    }
    // The version is the last nine octets: SP HTTP/1.x. What stands before it is the target.
    let targetStart = index + 1
    let targetEnd = line.upperBound - 9
    guard targetEnd > targetStart, octets[targetEnd] == 0x20 else {
      throw ParseError(.badRequestLine, at: index)
    }
    let version = octets.extracting(targetEnd + 1..<line.upperBound)
    guard let minor = HTTPVersion.minor(version) else {
      throw ParseError(.badVersion, at: targetEnd + 1)
    }
    for position in targetStart..<targetEnd where !OctetClass.isTarget(octets[position]) {
      throw ParseError(.badTarget, at: position)
    }
    method = line.lowerBound..<index
    semantics = MethodSemantics(octets.extracting(line.lowerBound..<index))
    target = targetStart..<targetEnd
    minorVersion = minor
  }
}

/// `HTTP-version SP 3DIGIT [SP [reason-phrase]]`. RFC 9112 section 4; servers that leave out the second
/// space are understood, and what they sent is what goes on.
struct StatusLine {
  let status: Int
  let reason: Range<Int>
  let minorVersion: UInt8

  init(_ octets: Span<UInt8>, _ line: Range<Int>) throws(ParseError) {
    let start = line.lowerBound
    guard line.count >= 12, octets[start + 8] == 0x20,
      let minor = HTTPVersion.minor(octets.extracting(start..<start + 8))
    else { throw ParseError(.badStatusLine, at: start) }
    var value = 0
    for index in start + 9..<start + 12 {
      guard OctetClass.isDigit(octets[index]) else { throw ParseError(.badStatusLine, at: index) }
      value = value * 10 + Int(octets[index] - 0x30)
    }
    guard value >= 100 else { throw ParseError(.badStatusLine, at: start + 9) }
    var reasonStart = line.upperBound
    if line.count > 12 {
      guard octets[start + 12] == 0x20 else { throw ParseError(.badStatusLine, at: start + 12) }
      reasonStart = start + 13
      for index in reasonStart..<line.upperBound where !OctetClass.isFieldValue(octets[index]) {
        throw ParseError(.controlOctet, at: index)
      }
    }
    status = value
    reason = reasonStart..<line.upperBound
    minorVersion = minor
  }
}

enum HTTPVersion {
  /// 0 or 1 for `HTTP/1.0` and `HTTP/1.1`; nil for anything else, other spellings included.
  static func minor(_ octets: Span<UInt8>) -> UInt8? {
    guard octets.count == 8 else { return nil }
    let name: StaticString = "HTTP/1."
    for index in 0..<7 where octets[index] != name.utf8Start[index] { return nil }
    let minor = octets[7] &- 0x30
    return minor <= 1 ? minor : nil
  }
}
