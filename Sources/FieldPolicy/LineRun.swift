import HTTPMessage

/// A run of neighbouring lines that stay: copied in one piece, with every octet between them.
struct LineRun {
  private var start = 0
  private var end = 0

  mutating func extend(_ line: FieldLine) {
    if start == end { start = Int(line.start) }
    end = Int(line.end)
  }

  mutating func flush(_ section: FieldSection, into output: inout [UInt8]) {
    if start < end { output.append(contentsOf: section.octets[start..<end]) }
    start = 0
    end = 0
  }
}

extension [UInt8] {
  /// Appends a constant of ours.
  @usableFromInline package mutating func append(ascii text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}
