package import HTTPMessage

/// Delimits one message's content in a stream of octets. RFC 9112 section 6.
package struct BodyDecoder {
  private enum Kind {
    case none
    case length(remaining: UInt64)
    case chunked(ChunkDecoder)
    case untilClose
  }

  private var kind: Kind

  package init(_ framing: BodyFraming, trailerLimits: SectionLimits) {
    switch framing {
    case .none: kind = .none
    case .length(let count): kind = .length(remaining: count)
    case .chunked: kind = .chunked(ChunkDecoder(trailerLimits: trailerLimits))
    case .untilClose: kind = .untilClose
    }
  }

  /// The next run of content, or the end. A body without octets ends at once, also on empty input.
  package mutating func next(
    _ input: Span<UInt8>, _ offset: inout Int
  ) throws(ParseError) -> MessageEvent {
    switch kind {
    case .none:
      return .end
    case .length(let remaining):
      if remaining == 0 { return .end }
      let count = Int(min(remaining, UInt64(input.count - offset)))
      if count == 0 { return .needMore }
      kind = .length(remaining: remaining - UInt64(count))
      let range = offset..<offset + count
      offset = range.upperBound
      return .content(range)
    case .chunked(var decoder):
      kind = .none  // One owner, so that the decoder's storage is not copied.
      defer { kind = .chunked(decoder) }
      return try decoder.next(input, &offset)
    case .untilClose:
      if offset == input.count { return .needMore }
      let range = offset..<input.count
      offset = range.upperBound
      return .content(range)
    }
  }

  /// Whether `end` follows without another octet.
  var isExhausted: Bool {
    if case .length(remaining: 0) = kind { return true }
    return false
  }

  /// Whether a regular end of the connection is the end of this body.
  var endsWithConnection: Bool {
    if case .untilClose = kind { return true }
    return false
  }

  /// The trailer section of a chunked body that has ended.
  var trailers: FieldSection {
    if case .chunked(let decoder) = kind { return decoder.trailers }
    return FieldSection()
  }
}
