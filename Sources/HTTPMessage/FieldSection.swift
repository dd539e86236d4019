/// One field line, as offsets into the octets of its section. RFC 9112 section 5.
@usableFromInline package struct FieldLine: Equatable, Sendable {
  package var field: KnownField
  /// First octet of the name, and of the line.
  package var start: Int32
  /// The colon.
  package var nameEnd: Int32
  /// The value without the white space around it; empty when both are equal.
  package var valueStart: Int32
  package var valueEnd: Int32
  /// One past the line's CRLF.
  package var end: Int32

  package init(
    field: KnownField, start: Int, nameEnd: Int, valueStart: Int, valueEnd: Int, end: Int
  ) {
    self.field = field
    self.start = Int32(truncatingIfNeeded: start)
    self.nameEnd = Int32(truncatingIfNeeded: nameEnd)
    self.valueStart = Int32(truncatingIfNeeded: valueStart)
    self.valueEnd = Int32(truncatingIfNeeded: valueEnd)
    self.end = Int32(truncatingIfNeeded: end)
  }
}

/// A head or trailer section: its literal octets, and where each field line stands in them.
///
/// The octets are the message's own, start line included, so that what is forwarded is copied
/// from what came and never rebuilt.
@usableFromInline package struct FieldSection: Equatable, Sendable {
  package var octets: [UInt8] = []
  package var lines: [FieldLine] = []
  /// Whether any line is a Connection.
  package var hasConnection = false

  package init() {}

  package var isEmpty: Bool { lines.isEmpty }

  /// Forgets the content and keeps the storage for the next message, unless it has grown large.
  package mutating func reset() {
    hasConnection = false
    let keep = octets.capacity <= 8192
    if !octets.isEmpty { octets.removeAll(keepingCapacity: keep) }
    if !lines.isEmpty { lines.removeAll(keepingCapacity: keep) }
  }

  /// The name's octets, case kept.
  package func name(of line: FieldLine) -> ArraySlice<UInt8> {
    octets[Int(line.start)..<Int(line.nameEnd)]
  }

  /// The value's octets without the white space around it.
  package func value(of line: FieldLine) -> ArraySlice<UInt8> {
    octets[Int(line.valueStart)..<Int(line.valueEnd)]
  }

  package func first(_ field: KnownField) -> FieldLine? {
    lines.first { $0.field == field }
  }

  /// Calls `body` with each element of a list field's value, white space around it cut, empty ones left out.
  /// RFC 9110 section 5.6.1.
  package func forEachElement(of line: FieldLine, _ body: (Span<UInt8>) -> Void) {
    let value = octets.span.extracting(Int(line.valueStart)..<Int(line.valueEnd))
    var start = 0
    for index in 0...value.count where index == value.count || value[index] == 0x2C {
      var from = start
      var to = index
      while from < to, value[from] == 0x20 || value[from] == 0x09 { from += 1 }
      while to > from, value[to - 1] == 0x20 || value[to - 1] == 0x09 { to -= 1 }
      if from < to { body(value.extracting(from..<to)) }
      start = index + 1
    }
  }
}
