package import HTTPMessage

/// Takes a chunked body apart. RFC 9112 section 7.1, without its leniencies: no white space around a
/// size, no LF alone; extensions are skipped within a bound.
package struct ChunkDecoder {
  private enum State: Equatable {
    case size(digits: Int, value: UInt64)
    case chunkExtension(value: UInt64)
    case sizeLineFeed(value: UInt64)
    case content(remaining: UInt64)
    case contentReturn
    case contentLineFeed
    case trailers
    case done
  }

  /// All chunk extensions of one body together; they carry nothing for us.
  package static let extensionLimit = 16_384

  private var state = State.size(digits: 0, value: 0)
  private var extensionOctets = 0
  private var reader: SectionReader

  /// The trailer section, once `end` was returned; empty when there was none.
  package var trailers: FieldSection { reader.section }

  package init(trailerLimits: SectionLimits) {
    reader = SectionReader(limits: trailerLimits, hasStartLine: false)
  }

  package mutating func next(
    _ input: Span<UInt8>, _ offset: inout Int
  ) throws(ParseError) -> MessageEvent {
    while offset < input.count {
      switch state {
      case .content(let remaining):
        return takeContent(remaining, input.count, &offset)
      case .trailers:
        return try takeTrailers(input, &offset)
      case .done:
        return .end
      case .size, .chunkExtension, .sizeLineFeed, .contentReturn, .contentLineFeed:
        let octet = input[offset]
        offset += 1
        state = try step(octet)
      }
    }
    return .needMore
  }

  private mutating func takeContent(
    _ remaining: UInt64, _ end: Int, _ offset: inout Int
  ) -> MessageEvent {
    let count = min(remaining, UInt64(end - offset))
    let range = offset..<offset + Int(count)
    offset = range.upperBound
    state = count == remaining ? .contentReturn : .content(remaining: remaining - count)
    return .content(range)
  }

  private mutating func takeTrailers(
    _ input: Span<UInt8>, _ offset: inout Int
  ) throws(ParseError) -> MessageEvent {
    guard try reader.read(input, &offset) == .end else { return .needMore }
    for line in reader.section.lines where ChunkDecoder.isForbiddenTrailer(line.field) {
      throw ParseError(.framingFieldInTrailers, at: Int(line.start))
    }
    state = .done
    return .end
  }

  /// Fields that frame, route or describe a connection may not come after the content. RFC 9110 section 6.5.1.
  private static func isForbiddenTrailer(_ field: KnownField) -> Bool {
    switch field {
    case .connection, .contentLength, .host, .http2Settings, .keepAlive, .proxyConnection, .te, .trailer,
      .transferEncoding, .upgrade:
      true
    default:
      false
    }
  }

  /// One octet of the framing between contents.
  private mutating func step(_ octet: UInt8) throws(ParseError) -> State {
    switch state {
    case .size(let digits, let value):
      if let digit = OctetClass.hexValue(octet) {
        guard digits < 16, value >> 60 == 0 else { throw ParseError(.badChunkSize) }
        return .size(digits: digits + 1, value: value << 4 | UInt64(digit))
      }
      guard digits > 0 else { throw ParseError(.badChunkSize) }
      if octet == 0x0D { return .sizeLineFeed(value: value) }
      if octet == 0x3B { return .chunkExtension(value: value) }
      throw ParseError(.badChunkSize)
    case .chunkExtension(let value):
      if octet == 0x0D { return .sizeLineFeed(value: value) }
      extensionOctets += 1
      guard extensionOctets <= ChunkDecoder.extensionLimit else { throw ParseError(.chunkExtensionTooLong) }
      guard OctetClass.isFieldValue(octet) else { throw ParseError(.badChunkSize) }
      return .chunkExtension(value: value)
    case .sizeLineFeed(let value):
      guard octet == 0x0A else { throw ParseError(.badChunkSize) }
      return value == 0 ? .trailers : .content(remaining: value)
    case .contentReturn:
      guard octet == 0x0D else { throw ParseError(.badChunkEnd) }
      return .contentLineFeed
    case .contentLineFeed:
      guard octet == 0x0A else { throw ParseError(.badChunkEnd) }
      return .size(digits: 0, value: 0)
    case .content, .trailers, .done:
      return state
    }
  }
}

/// Writes chunk framing. RFC 9112 section 7.1.
package enum ChunkEncoder {
  /// The last chunk and an empty trailer section.
  package static let lastChunk: [UInt8] = [0x30, 0x0D, 0x0A, 0x0D, 0x0A]
  package static let lineEnd: [UInt8] = [0x0D, 0x0A]

  /// Appends a chunk's size line; `count` is not 0.
  package static func appendSizeLine(_ count: Int, to octets: inout [UInt8]) {
    var shift = (Int.bitWidth - 1 - count.leadingZeroBitCount) / 4 * 4
    while shift >= 0 {
      let digit = UInt8(truncatingIfNeeded: count >> shift) & 0xF
      octets.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
      shift -= 4
    }
    octets.append(0x0D)
    octets.append(0x0A)
  }
}
