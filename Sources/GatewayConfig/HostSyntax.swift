/// A host as it stands in upstreams, server names and listen addresses.
enum Host: Equatable {
  /// Lower case.
  case name(String)
  /// The text and its four octets.
  case ipv4(String, [UInt8])
  /// The text in lower case, without brackets, and its sixteen octets.
  case ipv6(String, [UInt8])

  /// Without brackets.
  var text: String {
    switch self {
    case .name(let text), .ipv4(let text, _), .ipv6(let text, _): text
    }
  }

  /// Accepts an IPv6 literal with or without brackets.
  static func parse(_ text: String) throws(ValueError) -> Host {
    if text.isEmpty { throw ValueError("the host is empty", "write a host name or an address") }
    if text.hasPrefix("[") || text.contains(":") {
      let bare = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
      guard let octets = IPAddress.ipv6(bare) else {
        throw ValueError("\(quoted(text)) is not an IPv6 address", "write one such as [2001:db8::1]")
      }
      return .ipv6(bare.lowercased(), octets)
    }
    if let octets = IPAddress.ipv4(text) { return .ipv4(text, octets) }
    try checkName(text)
    return .name(text.lowercased())
  }

  /// Labels of letters, digits, `-` and `_`; a last label of digits alone would be taken for an address.
  private static func checkName(_ text: String) throws(ValueError) {
    let remedy = "write a host name such as api.example.com, or an address"
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    let isSound = labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
        && label.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }
    guard isSound, text.utf8.count <= 253 else {
      throw ValueError("\(quoted(text)) is not a host name", remedy)
    }
    if let last = labels.last, last.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      throw ValueError("\(quoted(text)) is neither a host name nor an IPv4 address", remedy)
    }
  }
}

extension UInt8 {
  var isLetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}

/// Address literals as octets, so that different spellings compare equal.
enum IPAddress {
  /// Four decimal numbers without leading zeros.
  static func ipv4(_ text: some StringProtocol) -> [UInt8]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let octets = parts.compactMap { part in decimal(part).flatMap { UInt8(exactly: $0) } }
    return parts.count == 4 && octets.count == 4 ? octets : nil
  }

  /// RFC 4291 section 2.2, all three forms; no zone.
  static func ipv6(_ text: String) -> [UInt8]? {
    guard let gap = text.range(of: "::") else {
      return groups(text[...]).flatMap { $0.count == 16 ? $0 : nil }
    }
    let head = text[..<gap.lower]
    let tail = text[gap.upper...]
    guard !tail.hasPrefix(":"), let left = head.isEmpty ? [] : groups(head),
      let right = tail.isEmpty ? [] : groups(tail), left.count + right.count <= 14
    else { return nil }
    // An IPv4 ending belongs at the end of the whole address.
    guard !head.contains(".") else { return nil }
    return left + [UInt8](repeating: 0, count: 16 - left.count - right.count) + right
  }

  /// Groups of one to four hexadecimal digits; the last may be an IPv4 address.
  private static func groups(_ text: Substring) -> [UInt8]? {
    var octets: [UInt8] = []
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if index == parts.count - 1, part.contains(".") {
        guard let ending = ipv4(part) else { return nil }
        octets += ending
      } else {
        guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy(\.isLetterOrDigit),
          let group = UInt16(part, radix: 16)
        else { return nil }
        octets += [UInt8(group >> 8), UInt8(group & 0xFF)]
      }
    }
    return octets
  }
}

extension String {
  /// The first place of a text; the standard library alone has none.
  fileprivate func range(of other: String) -> (lower: Index, upper: Index)? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(other) { return (start, index(start, offsetBy: other.count)) }
      start = index(after: start)
    }
    return nil
  }
}

/// `host:port`, as listen addresses and URLs have it; an IPv6 literal needs its brackets here.
struct HostAndPort: Equatable {
  var host: String
  /// Nil when there is no `:port`; as written otherwise.
  var port: String?

  /// Takes the text apart and judges neither half.
  static func split(_ text: String) throws(ValueError) -> HostAndPort {
    if text.hasPrefix("[") {
      guard let close = text.firstIndex(of: "]") else {
        throw ValueError("\(quoted(text)) has a [ without its ]", "write an IPv6 address as [2001:db8::1]")
      }
      let rest = text[text.index(after: close)...]
      guard rest.isEmpty || rest.hasPrefix(":") else {
        throw ValueError("\(quoted(text)) goes on after its ]", "write [address]:port")
      }
      return HostAndPort(host: String(text[...close]), port: rest.isEmpty ? nil : String(rest.dropFirst()))
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    switch parts.count {
    case 1: return HostAndPort(host: text, port: nil)
    case 2: return HostAndPort(host: String(parts[0]), port: String(parts[1]))
    default:
      throw ValueError(
        "\(quoted(text)) has too many colons", "write an IPv6 address in brackets, as [::1]:8443")
    }
  }

  /// A port within a range that starts at 0 or 1.
  static func port(_ text: String, from lowest: Int = 1) throws(ValueError) -> UInt16 {
    guard let number = decimal(text), number >= lowest, let port = UInt16(exactly: number) else {
      throw ValueError("\(quoted(text)) is not a port", "write a number from \(lowest) to 65535")
    }
    return port
  }
}
