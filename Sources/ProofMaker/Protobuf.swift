/// A protobuf message as its fields in their order: enough to write a proof and to read one back.
package struct ProtobufMessage: Equatable, Sendable {
  /// What a field holds on the wire. Groups do not occur.
  package enum Value: Equatable, Sendable {
    case varint(UInt64)
    case fixed64(UInt64)
    case bytes([UInt8])
    case fixed32(UInt32)
  }

  /// One field; repeated fields are repeated here.
  package struct Field: Equatable, Sendable {
    package let number: UInt64
    package var value: Value
  }

  package var fields: [Field] = []

  /// An empty message.
  package init() {}

  /// Reads a message; nil when the octets are none.
  package init?(_ octets: [UInt8]) {
    var rest = octets[...]
    while !rest.isEmpty {
      guard let tag = ProtobufMessage.varint(&rest), tag >> 3 > 0 else { return nil }
      let value: Value
      switch tag & 7 {
      case 0:
        guard let number = ProtobufMessage.varint(&rest) else { return nil }
        value = .varint(number)
      case 1:
        guard let number = ProtobufMessage.littleEndian(&rest, count: 8) else { return nil }
        value = .fixed64(number)
      case 2:
        guard let length = ProtobufMessage.varint(&rest), length <= UInt64(rest.count) else { return nil }
        value = .bytes(Array(rest.prefix(Int(length))))
        rest = rest.dropFirst(Int(length))
      case 5:
        guard let number = ProtobufMessage.littleEndian(&rest, count: 4) else { return nil }
        value = .fixed32(UInt32(number))
      default: return nil
      }
      fields.append(Field(number: tag >> 3, value: value))
    }
  }

  /// The message on the wire.
  package var octets: [UInt8] {
    var result: [UInt8] = []
    for field in fields {
      switch field.value {
      case .varint(let number):
        ProtobufMessage.append(field.number << 3, to: &result)
        ProtobufMessage.append(number, to: &result)
      case .fixed64(let number):
        ProtobufMessage.append(field.number << 3 | 1, to: &result)
        for shift in stride(from: 0, to: 64, by: 8) {
          result.append(UInt8(truncatingIfNeeded: number >> shift))
        }
      case .bytes(let bytes):
        ProtobufMessage.append(field.number << 3 | 2, to: &result)
        ProtobufMessage.append(UInt64(bytes.count), to: &result)
        result += bytes
      case .fixed32(let number):
        ProtobufMessage.append(field.number << 3 | 5, to: &result)
        for shift in stride(from: 0, to: 32, by: 8) {
          result.append(UInt8(truncatingIfNeeded: number >> shift))
        }
      }
    }
    return result
  }

  // MARK: Writing

  /// Appends a length-delimited field.
  package mutating func add(_ number: UInt64, _ bytes: [UInt8]) {
    fields.append(Field(number: number, value: .bytes(bytes)))
  }
  /// Appends a string.
  package mutating func add(_ number: UInt64, _ text: String) { add(number, Array(text.utf8)) }
  /// Appends a sub-message.
  package mutating func add(_ number: UInt64, _ message: ProtobufMessage) { add(number, message.octets) }
  /// Appends an integer or enumeration; zero is the default and is left out, as proto3 does.
  package mutating func add(_ number: UInt64, _ integer: Int64) {
    guard integer != 0 else { return }
    fields.append(Field(number: number, value: .varint(UInt64(bitPattern: integer))))
  }
  /// Appends a double.
  package mutating func add(_ number: UInt64, double: Double) {
    fields.append(Field(number: number, value: .fixed64(double.bitPattern)))
  }

  // MARK: Reading

  /// The last field `number` as bytes; nil when it is absent or something else.
  package func bytes(_ number: UInt64) -> [UInt8]? { allBytes(number).last }
  /// Every field `number` that is length-delimited.
  package func allBytes(_ number: UInt64) -> [[UInt8]] {
    fields.compactMap { if $0.number == number, case .bytes(let bytes) = $0.value { bytes } else { nil } }
  }
  /// The last field `number` as a sub-message.
  package func message(_ number: UInt64) -> ProtobufMessage? { bytes(number).flatMap { ProtobufMessage($0) } }
  /// The last field `number` as text.
  package func text(_ number: UInt64) -> String? { bytes(number).map { String(decoding: $0, as: UTF8.self) } }
  /// The last field `number` as an integer; 0 when it is absent.
  package func integer(_ number: UInt64) -> Int64 {
    for field in fields.reversed() where field.number == number {
      if case .varint(let value) = field.value { return Int64(bitPattern: value) }
    }
    return 0
  }
  /// The last field `number` as the bits of a double; 0 when it is absent.
  package func doubleBits(_ number: UInt64) -> UInt64 {
    for field in fields.reversed() where field.number == number {
      if case .fixed64(let value) = field.value { return value }
    }
    return 0
  }

  // MARK: The wire

  private static func varint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
    var result: UInt64 = 0
    for shift in stride(from: 0, to: 70, by: 7) {
      guard let octet = rest.popFirst() else { return nil }
      if shift == 63, octet > 1 { return nil }
      result |= UInt64(octet & 0x7F) << shift
      if octet < 0x80 { return result }
    }
    return nil
  }

  private static func littleEndian(_ rest: inout ArraySlice<UInt8>, count: Int) -> UInt64? {
    guard rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func append(_ number: UInt64, to result: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      result.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    result.append(UInt8(rest))
  }
}
