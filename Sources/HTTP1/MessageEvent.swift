/// What a parser found next in the octets it was given.
package enum MessageEvent: Equatable, Sendable {
  /// All octets are used up and the message is not over.
  case needMore
  /// A head is complete and stands in the parser's `head`.
  case head
  /// Content octets, as a range of the input: never a copy.
  case content(Range<Int>)
  /// The message is complete; trailers, if there were any, stand in the parser's `trailers`.
  case end
}

/// Bounds on what one section may hold.
package struct SectionLimits: Equatable, Sendable {
  package var octets: Int
  package var fields: Int

  package init(octets: Int, fields: Int) {
    self.octets = octets
    self.fields = fields
  }
}
