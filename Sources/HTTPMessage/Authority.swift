/// A host and an optional port, as Host, absolute-form targets and Location carry them.
/// RFC 3986 section 3.2 without user information.
package struct Authority: Equatable, Sendable {
  /// Lower-case octets; an IPv6 literal keeps its brackets.
  package var host: [UInt8]
  package var port: UInt16?

  /// - Returns: nil for user information, an empty host, characters outside a name or literal, or a bad port.
  package init?(_ octets: Span<UInt8>) {
    guard let parts = Authority.parts(octets) else { return nil }
    var host: [UInt8] = []
    host.reserveCapacity(parts.hostEnd)
    for index in 0..<parts.hostEnd { host.append(OctetClass.lowercased(octets[index])) }
    self.host = host
    port = parts.port
  }

  /// Whether the octets are a host with an optional port; what `init` checks, without keeping it.
  package static func isValid(_ octets: Span<UInt8>) -> Bool { parts(octets) != nil }

  private static func parts(_ octets: Span<UInt8>) -> (hostEnd: Int, port: UInt16?)? {
    guard let hostEnd = hostEnd(octets), hostEnd > 0 else { return nil }
    guard hostEnd < octets.count else { return (hostEnd, nil) }
    guard octets[hostEnd] == 0x3A else { return nil }
    let digits = octets.extracting(hostEnd + 1..<octets.count)
    if digits.isEmpty { return (hostEnd, nil) }  // RFC 3986 section 3.2.3 lets the port be empty.
    guard let port = port(digits) else { return nil }
    return (hostEnd, port)
  }

  private static func hostEnd(_ octets: Span<UInt8>) -> Int? {
    if octets.isEmpty { return nil }
    if octets[0] == 0x5B { return literalEnd(octets) }  // [
    var index = 0
    while index < octets.count, octets[index] != 0x3A {
      guard OctetClass.isHostName(octets[index]) else { return nil }
      index += 1
    }
    return index
  }

  package init(host: [UInt8], port: UInt16?) {
    self.host = host
    self.port = port
  }

  private static func literalEnd(_ octets: Span<UInt8>) -> Int? {
    var colons = 0
    for index in 1..<octets.count {
      let octet = octets[index]
      if octet == 0x5D { return colons >= 2 ? index + 1 : nil }
      if octet == 0x3A { colons += 1 }
      guard octet == 0x3A || octet == 0x2E || OctetClass.hexValue(octet) != nil else { return nil }
    }
    return nil
  }

  private static func port(_ digits: Span<UInt8>) -> UInt16? {
    guard digits.count <= 5 else { return nil }
    var value: UInt32 = 0
    for index in 0..<digits.count {
      guard OctetClass.isDigit(digits[index]) else { return nil }
      value = value * 10 + UInt32(digits[index] - 0x30)
    }
    return UInt16(exactly: value)
  }
}

/// Where upstream connections go: scheme, host and port. RFC 9110 section 4.3.1.
package struct Origin: Hashable, Sendable {
  package var isTLS: Bool
  /// Lower-case name or address literal without brackets.
  package var host: String
  package var port: UInt16

  package init(isTLS: Bool, host: String, port: UInt16) {
    self.isTLS = isTLS
    self.host = host
    self.port = port
  }

  /// What the Host field carries: the port only when it is not the scheme's own.
  package var authority: String {
    let name = host.utf8.contains(0x3A) ? "[\(host)]" : host
    return port == (isTLS ? 443 : 80) ? name : "\(name):\(port)"
  }
}
