package import HTTPMessage

/// A request target taken apart without changing an octet. RFC 9112 section 3.2, rules T3 and T4.
package struct RequestTarget: Equatable, Sendable {
  /// Absolute-form's authority; nil in origin-form.
  package var authority: Authority?
  /// Where path and query stand in the head's octets; starts with `/` unless empty.
  package var pathAndQuery: Range<Int>
  /// One past the path: the `?`, or the target's end.
  package var pathEnd: Int

  /// - Throws: 400 for asterisk-form, authority-form, another scheme, user information, or a path that T3 refuses.
  package init(_ octets: Span<UInt8>, _ range: Range<Int>) throws(Refusal) {
    var start = range.lowerBound
    if octets[start] != 0x2F {
      let rest = try RequestTarget.authorityStart(octets, range)
      var end = rest
      while end < range.upperBound, octets[end] != 0x2F, octets[end] != 0x3F { end += 1 }
      guard let parsed = Authority(octets.extracting(rest..<end)) else {
        throw Refusal(400, "T4", "the authority of an absolute-form target is not a host and port")
      }
      authority = parsed
      start = end
    }
    var end = start
    while end < range.upperBound, octets[end] != 0x3F { end += 1 }
    try PathCheck.examine(octets.extracting(start..<end))
    pathAndQuery = start..<range.upperBound
    pathEnd = end
  }

  private static func authorityStart(
    _ octets: Span<UInt8>, _ range: Range<Int>
  ) throws(Refusal) -> Int {
    let target = octets.extracting(range)
    if target.count > 7, target.extracting(first: 7).equalsIgnoringCase("http://") {
      return range.lowerBound + 7
    }
    if target.count > 8, target.extracting(first: 8).equalsIgnoringCase("https://") {
      return range.lowerBound + 8
    }
    throw Refusal(400, "T4", "the target is neither a path nor an http or https URI")
  }
}

/// What T3 refuses in a path: what an upstream that decodes could take for another path.
enum PathCheck {
  static func examine(_ path: Span<UInt8>) throws(Refusal) {
    // Dots seen in the segment; nil once it holds anything else.
    var dots: Int? = 0
    var index = 0
    while index < path.count {
      var octet = path[index]
      index += 1
      if octet == 0x5C { throw Refusal(400, "T3", "the path holds a backslash") }
      var isSeparator = octet == 0x2F
      if octet == 0x25, let decoded = decodedEscape(path, index) {
        index += 2
        if decoded == 0 { throw Refusal(400, "T3", "the path holds %00") }
        isSeparator = decoded == 0x2F || decoded == 0x5C
        octet = decoded == 0x2E ? 0x2E : 0x78
      }
      if isSeparator {
        try endSegment(dots)
        dots = 0
      } else {
        dots = octet == 0x2E ? dots.map { $0 + 1 } : nil
      }
    }
    try endSegment(dots)
  }

  private static func endSegment(_ dots: Int?) throws(Refusal) {
    guard dots == 1 || dots == 2 else { return }
    throw Refusal(400, "T3", "a path segment is '.' or '..', plain or escaped")
  }

  private static func decodedEscape(_ path: Span<UInt8>, _ index: Int) -> UInt8? {
    guard index + 1 < path.count, let high = OctetClass.hexValue(path[index]),
      let low = OctetClass.hexValue(path[index + 1])
    else { return nil }
    return high << 4 | low
  }
}
