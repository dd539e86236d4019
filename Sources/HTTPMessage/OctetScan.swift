/// Searches that look at eight octets at a time. Heads are mostly lines without a surprise, and these loops are most
/// of the work that reading them takes.
extension Span<UInt8> {
  /// The first LF at or behind `start`, or `count`.
  package func indexOfLineFeed(from start: Int) -> Int {
    withUnsafeBytes { octets in
      var index = start
      while index &+ 8 <= octets.count {
        let word = octets.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        let difference = word ^ 0x0A0A_0A0A_0A0A_0A0A
        let zeros = (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
        // The lowest mark is exact; the host is little-endian, as Linux is on every machine we build for.
        if zeros != 0 { return index &+ zeros.trailingZeroBitCount / 8 }
        index &+= 8
      }
      while index < octets.count, octets[index] != 0x0A { index &+= 1 }
      return index
    }
  }

  /// The first octet in `range` that no field value may hold, or the range's end.
  package func indexOfControlOctet(in range: Range<Int>) -> Int {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return withUnsafeBytes { octets in
      var index = range.lowerBound
      while index &+ 8 <= range.upperBound {
        let word = octets.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        let below = (word &- 0x2020_2020_2020_2020) & ~word & 0x8080_8080_8080_8080
        if below != 0 { break }  // A control octet, or HTAB: look closer.
        index &+= 8
      }
      while index < range.upperBound, OctetClass.isFieldValue(octets[index]) { index &+= 1 }
      return index
    }
  }
}
