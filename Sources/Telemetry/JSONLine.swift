/// Builds one JSON object on one line. Field names are constants of ours; values are escaped, so that no octet a peer
/// sent can end a line, a string, or a terminal's patience.
package struct JSONLine {
  package private(set) var octets: [UInt8]

  /// - Parameter storage: reused between lines.
  package init(reusing storage: [UInt8] = []) {
    octets = storage
    octets.removeAll(keepingCapacity: true)
    octets.append(0x7B)
  }

  package mutating func add(_ name: StaticString, _ value: Int) {
    startField(name)
    appendDecimal(value)
  }

  package mutating func add(_ name: StaticString, _ value: Bool) {
    startField(name)
    append(value ? "true" : "false")
  }

  /// Nanoseconds, written as milliseconds with three places.
  package mutating func addMilliseconds(_ name: StaticString, _ nanoseconds: Int64) {
    startField(name)
    let micros = Int(max(0, nanoseconds) / 1000)
    appendDecimal(micros / 1000)
    octets.append(0x2E)
    let rest = micros % 1000
    octets.append(0x30 + UInt8(rest / 100))
    octets.append(0x30 + UInt8(rest / 10 % 10))
    octets.append(0x30 + UInt8(rest % 10))
  }

  package mutating func add(_ name: StaticString, _ value: StaticString) {
    startField(name)
    octets.append(0x22)
    append(value)
    octets.append(0x22)
  }

  package mutating func add(_ name: StaticString, _ value: some Sequence<UInt8>) {
    startField(name)
    octets.append(0x22)
    for octet in value { appendEscaped(octet) }
    octets.append(0x22)
  }

  package mutating func add(_ name: StaticString, _ value: String) {
    add(name, value.utf8)
  }

  /// A field whose name is a text of ours, and no constant.
  package mutating func add(named name: String, _ value: String) {
    if octets.count > 1 { octets.append(0x2C) }
    octets.append(0x22)
    for octet in name.utf8 { appendEscaped(octet) }
    octets.append(0x22)
    octets.append(0x3A)
    octets.append(0x22)
    for octet in value.utf8 { appendEscaped(octet) }
    octets.append(0x22)
  }

  /// Ends the object and the line.
  package mutating func finish() {
    octets.append(0x7D)
    octets.append(0x0A)
  }

  private mutating func startField(_ name: StaticString) {
    if octets.count > 1 { octets.append(0x2C) }
    octets.append(0x22)
    append(name)
    octets.append(0x22)
    octets.append(0x3A)
  }

  private mutating func append(_ text: StaticString) {
    octets.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Octets that are not printable ASCII are written as escapes of their value.
  private mutating func appendEscaped(_ octet: UInt8) {
    switch octet {
    case 0x22, 0x5C:
      octets.append(0x5C)
      octets.append(octet)
    case 0x20..<0x7F:
      octets.append(octet)
    default:
      append("\\u00")
      octets.append(JSONLine.hexDigit(octet >> 4))
      octets.append(JSONLine.hexDigit(octet & 0xF))
    }
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? 0x30 + value : 0x57 + value
  }

  private mutating func appendDecimal(_ value: Int) {
    if value < 0 { octets.append(0x2D) }
    appendDigits(value.magnitude)
  }

  private mutating func appendDigits(_ value: UInt) {
    if value >= 10 { appendDigits(value / 10) }
    octets.append(0x30 + UInt8(value % 10))
  }
}
