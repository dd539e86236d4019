/// A host and an optional port, as Host, absolute-form targets and Location carry them.
/// RFC 3986 section 3.2 without user information.
package struct Authority: Equatable, Sendable {
  /// Lower-case octets; an IPv6 literal keeps its brackets.
  package var host: [UInt8]
  package var port: UInt16?

  /// - Returns: nil for user information, an empty host, characters outside a name or literal, or a bad port.
  package init?(_ octets: Span<UInt8>) {
    var hostEnd = octets.count
    if octets.isEmpty { return nil }
    if octets[0] == 0x5B {  // [
      guard let close = Authority.literalEnd(octets) else { return nil }
      hostEnd = close
    } else {
      for index in 0..<octets.count {
        if octets[index] == 0x3A {
          hostEnd = index
          break
        }
        guard OctetClass.isHostName(octets[index]) else { return nil }
      }
    }
    guard hostEnd > 0 else { return nil }
    var parsed: UInt16?
    if hostEnd < octets.count {
      guard octets[hostEnd] == 0x3A else { return nil }
      let digits = octets.extracting(hostEnd + 1..<octets.count)
      if !digits.isEmpty {
        guard let port = Authority.port(digits) else { return nil }
        parsed = port
      }
    }
    var host: [UInt8] = []
    host.reserveCapacity(hostEnd)
    for index in 0..<hostEnd { host.append(OctetClass.lowercased(octets[index])) }
    self.host = host
    self.port = parsed
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
