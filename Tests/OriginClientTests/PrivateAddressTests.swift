import CLinux
import OriginClient
import Testing

@Suite("PrivateAddress: addresses that a public name should not lead to (U01, RFC 6890)")
struct PrivateAddressTests {
  private func isPrivate(_ literal: String) throws -> Bool {
    var address = sockaddr_storage()
    try #require(octet_parse_address(literal, 443, &address) > 0)
    var octets = [UInt8](repeating: 0, count: 16)
    let count = octet_address_octets(&address, &octets)
    return count == 4 ? PrivateAddress.isPrivateIPv4(octets) : PrivateAddress.isPrivateIPv6(octets)
  }

  @Test(
    "are refused",
    arguments: [
      "0.0.0.0", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.0.1", "169.254.169.254",
      "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.168.1.1", "198.18.0.1", "198.19.0.1", "224.0.0.1",
      "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
      "::ffff:0:127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "2002:7f00:1::", "2002:a00:1::", "2001::1",
      "fc00::1", "fd12::1", "fe80::1", "febf::1", "fec0::1", "ff02::1",
    ])
  func areRefused(literal: String) throws {
    #expect(try isPrivate(literal))
  }

  @Test(
    "leaves the public ones alone",
    arguments: [
      "1.1.1.1", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "126.255.255.255", "128.0.0.1",
      "169.253.0.1", "172.15.0.1", "172.32.0.1", "192.0.1.1", "192.167.0.1", "198.17.0.1", "198.20.0.1",
      "223.255.255.255", "::ffff:1.1.1.1", "64:ff9b::1.1.1.1", "2002:101:101::", "2001:4860:4860::8888",
      "2600::1",
    ])
  func arePublic(literal: String) throws {
    #expect(try !isPrivate(literal))
  }
}
