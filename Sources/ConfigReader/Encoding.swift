/// Stand-ins for octets that libConfuse must not meet, from among those that no file may contain.
enum Encoding {
  /// For `=` in a string: libConfuse takes a name with `=` for a path to another option.
  static let equals: UInt8 = 0x01
  /// For `|`, which is such a path too.
  static let bar: UInt8 = 0x02
  /// For a value that could not be had.
  static let unresolved: UInt8 = 0x03
  /// The name of the option that tells where a block opens; no file can contain it.
  static let opening = "\u{04}"

  static func encode(_ octet: UInt8) -> UInt8 {
    switch octet {
    case UInt8(ascii: "="): equals
    case UInt8(ascii: "|"): bar
    default: octet
    }
  }

  /// - Returns: nil for a text with a part that could not be had.
  static func decode(_ text: String) -> String? {
    if text.utf8.contains(unresolved) { return nil }
    let octets = text.utf8.map { octet in
      switch octet {
      case equals: UInt8(ascii: "=")
      case bar: UInt8(ascii: "|")
      default: octet
      }
    }
    return String(decoding: octets, as: UTF8.self)
  }
}
