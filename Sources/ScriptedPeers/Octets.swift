import COpenSSL

/// Octets written as text: `⏎` is CRLF, `␊` LF, `␍` CR, `⇥` HTAB, `␀` NUL, `␠` a space, `\xNN` one raw octet;
/// everything else is its UTF-8.
///
/// In a Swift literal write `#"\xFF"#` or `"\\xFF"`. A broken `\x` is a mistake in the test and traps.
package func octets(_ text: String) -> [UInt8] {
  var result: [UInt8] = []
  result.reserveCapacity(text.utf8.count)
  var scalars = text.unicodeScalars.makeIterator()
  while let scalar = scalars.next() {
    switch scalar {
    case "⏎": result += [0x0D, 0x0A]
    case "␊": result.append(0x0A)
    case "␍": result.append(0x0D)
    case "⇥": result.append(0x09)
    case "␀": result.append(0x00)
    case "␠": result.append(0x20)
    case "\\":
      guard scalars.next() == "x", let high = scalars.next(), let low = scalars.next(),
        let value = UInt8(String(high) + String(low), radix: 16)
      else { preconditionFailure("octets(_:): a backslash must begin \\xNN") }
      result.append(value)
    default: result += Array(String(scalar).utf8)
    }
  }
  return result
}

/// Helpers to read and compare octets in tests and reports.
package enum Octets {
  /// The inverse of ``octets(_:)``: readable, and every octet can be told from it.
  ///
  /// - Parameter limit: how many octets are shown; the count of the others follows.
  package static func text(_ octets: some Collection<UInt8>, limit: Int = 2048) -> String {
    var result = ""
    var previousWasCR = false
    for octet in octets.prefix(limit) {
      if previousWasCR {
        previousWasCR = false
        if octet == 0x0A {
          result += "⏎\n"
          continue
        }
        result += "␍"
      }
      switch octet {
      case 0x0D: previousWasCR = true
      case 0x0A: result += "␊\n"
      case 0x09: result += "⇥"
      case 0x00: result += "␀"
      case 0x5C: result += "\\x5C"
      case 0x20...0x7E: result.unicodeScalars.append(Unicode.Scalar(octet))
      default: result += "\\x" + hex([octet])
      }
    }
    if previousWasCR { result += "␍" }
    if octets.count > limit { result += "… (\(octets.count - limit) more octets)" }
    return result
  }

  /// Lower-case hexadecimal, two digits an octet.
  package static func hex(_ octets: some Collection<UInt8>) -> String {
    let digits = Array("0123456789abcdef")
    return String(octets.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }

  /// SHA-256 in hexadecimal.
  package static func sha256Hex(_ octets: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    _ = SHA256(octets, octets.count, &digest)
    return hex(digest)
  }

  /// The offset of the first octet that differs, or nil when both are equal.
  package static func firstDifference(_ left: [UInt8], _ right: [UInt8]) -> Int? {
    if let index = zip(left, right).enumerated().first(where: { $0.element.0 != $0.element.1 })?.offset {
      return index
    }
    return left.count == right.count ? nil : min(left.count, right.count)
  }

  /// One paragraph that shows where two octet strings part, or nil when they are equal.
  package static func difference(expected: [UInt8], actual: [UInt8]) -> String? {
    guard let offset = firstDifference(expected, actual) else { return nil }
    func around(_ octets: [UInt8]) -> String {
      let slice = octets[max(0, min(offset, octets.count) - 16)..<min(octets.count, offset + 32)]
      return text(slice).replacing("\n", with: "") + "  [" + hex(slice) + "]"
    }
    return """
      differ at offset \(offset) (expected \(expected.count) octets, got \(actual.count))
        expected: \(around(expected))
        actual:   \(around(actual))
      """
  }

  /// The offset of `needle` in `haystack` at or after `start`.
  package static func find(_ needle: [UInt8], in haystack: [UInt8], from start: Int = 0) -> Int? {
    guard let first = needle.first, haystack.count >= needle.count else { return nil }
    var index = max(0, start)
    let last = haystack.count - needle.count
    while index <= last {
      if haystack[index] == first, haystack[index..<(index + needle.count)].elementsEqual(needle) {
        return index
      }
      index += 1
    }
    return nil
  }
}
