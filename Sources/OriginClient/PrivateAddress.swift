import CLinux
import Glibc

/// Addresses that a public name should not lead to: a name that does so leads the gateway into its own network.
package enum PrivateAddress {
  /// Whether the text is an IPv4 or IPv6 address and not a name.
  static func isLiteral(_ host: String) -> Bool {
    var octets = [UInt8](repeating: 0, count: 16)
    return inet_pton(AF_INET, host, &octets) == 1 || inet_pton(AF_INET6, host, &octets) == 1
  }

  /// - Parameter address: a `sockaddr` of any family; one that is neither IPv4 nor IPv6 counts as private.
  static func contains(_ address: UnsafeRawPointer) -> Bool {
    var octets = [UInt8](repeating: 0, count: 16)
    switch octet_address_octets(address, &octets) {
    case 4: return isPrivateIPv4(Array(octets[..<4]))
    case 16: return isPrivateIPv6(octets)
    default: return true
    }
  }

  /// Special-purpose blocks of RFC 6890 that are not reachable from everywhere.
  package static func isPrivateIPv4(_ a: [UInt8]) -> Bool {
    switch (a[0], a[1]) {
    case (0, _), (10, _), (127, _), (169, 254), (192, 168): true
    case (100, 64...127), (172, 16...31), (198, 18...19): true
    case (224..., _): true
    default: a[0] == 192 && a[1] == 0 && a[2] == 0
    }
  }

  package static func isPrivateIPv6(_ a: [UInt8]) -> Bool {
    let isZero = { (range: Range<Int>) in a[range].allSatisfy { $0 == 0 } }
    if isZero(0..<15), a[15] <= 1 { return true }  // :: and ::1
    if isZero(0..<10), a[10] == 0xFF, a[11] == 0xFF { return isPrivateIPv4(Array(a[12...])) }  // mapped
    if isZero(0..<8), a[8] == 0xFF, a[9] == 0xFF, isZero(10..<12) {  // translated
      return isPrivateIPv4(Array(a[12...]))
    }
    if a[0] == 0x20, a[1] == 0x02 { return isPrivateIPv4(Array(a[2..<6])) }  // 6to4
    if a[0] == 0x20, a[1] == 0x01, isZero(2..<4) { return true }  // Teredo
    if isZero(0..<12) { return true }  // IPv4-compatible, deprecated
    if a[0] == 0x00, a[1] == 0x64, a[2] == 0xFF, a[3] == 0x9B {
      return isZero(4..<12) ? isPrivateIPv4(Array(a[12...])) : true  // NAT64
    }
    if a[0] & 0xFE == 0xFC { return true }  // unique local
    if a[0] == 0xFE, a[1] & 0xC0 >= 0x80 { return true }  // link-local, site-local
    return a[0] == 0xFF  // multicast
  }
}
