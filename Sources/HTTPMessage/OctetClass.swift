/// Octet classes of RFC 9110 and RFC 3986, each one look-up in a 128-bit set.
@usableFromInline package enum OctetClass {
  /// `tchar`: what methods and field names are made of. RFC 9110 section 5.6.2.
  @inlinable package static func isToken(_ octet: UInt8) -> Bool {
    contains(octet, low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)
  }

  /// What may stand in a field value besides its end: HTAB, SP and 0x21-0xFF. RFC 9110 section 5.5
  /// leaves 0x7F to the recipient; rule F1 lets it pass.
  @inlinable package static func isFieldValue(_ octet: UInt8) -> Bool {
    octet >= 0x20 || octet == 0x09
  }

  /// What a request target may hold on the wire (rule T3): no control octet, SP, DEL or `#`.
  @inlinable package static func isTarget(_ octet: UInt8) -> Bool {
    octet > 0x20 && octet != 0x7F && octet != 0x23
  }

  /// What we take in a host name: unreserved characters and `%` (RFC 3986 section 3.2.2 without sub-delims).
  @inlinable package static func isHostName(_ octet: UInt8) -> Bool {
    contains(octet, low: 0x03FF_6020_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
  }

  @inlinable package static func isDigit(_ octet: UInt8) -> Bool {
    octet &- 0x30 < 10
  }

  /// The value of a hexadecimal digit, or nil.
  @inlinable package static func hexValue(_ octet: UInt8) -> UInt8? {
    let digit = octet &- 0x30
    if digit < 10 { return digit }
    let letter = (octet | 0x20) &- 0x61
    return letter < 6 ? letter + 10 : nil
  }

  /// ASCII upper case to lower case; every other octet as it is.
  @inlinable package static func lowercased(_ octet: UInt8) -> UInt8 {
    octet &- 0x41 < 26 ? octet | 0x20 : octet
  }

  @inlinable static func contains(_ octet: UInt8, low: UInt64, high: UInt64) -> Bool {
    guard octet < 128 else { return false }
    let half = octet < 64 ? low : high
    return (half >> UInt64(octet & 63)) & 1 == 1
  }
}

extension Span<UInt8> {
  /// Whether these octets are `text`, with its case.
  @inlinable package func equals(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in 0..<count where self[index] != text.utf8Start[index] { return false }
    return true
  }

  /// Whether these octets are `text`, ASCII letters compared without case. `text` is lower case.
  @inlinable package func equalsIgnoringCase(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in 0..<count where OctetClass.lowercased(self[index]) != text.utf8Start[index] {
      return false
    }
    return true
  }

  /// Whether these octets start with `prefix`, octet for octet.
  @inlinable package func starts(with prefix: [UInt8]) -> Bool {
    guard count >= prefix.count else { return false }
    for index in 0..<prefix.count where self[index] != prefix[index] {
      return false
    }
    return true
  }

  /// Whether both hold the same octets, ASCII letters compared without case.
  @inlinable package func equalsIgnoringCase(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in 0..<count
    where OctetClass.lowercased(self[index]) != OctetClass.lowercased(other[index]) {
      return false
    }
    return true
  }
}
