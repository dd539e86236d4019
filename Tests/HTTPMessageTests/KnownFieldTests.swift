import HTTPMessage
import Testing

@Suite("Fields with a rule (F3, R4, X1)")
struct KnownFieldTests {
  static let names: [(String, KnownField)] = [
    ("alt-svc", .altSvc), ("authorization", .authorization), ("connection", .connection),
    ("content-length", .contentLength), ("content-encoding", .contentOther), ("content-x", .contentOther),
    ("content-type", .contentType), ("cookie", .cookie), ("cookie2", .cookie), ("date", .date),
    ("expect", .expect), ("host", .host), ("http2-settings", .http2Settings), ("keep-alive", .keepAlive),
    ("location", .location), ("proxy-authorization", .proxyAuthorization),
    ("proxy-connection", .proxyConnection), ("set-cookie", .setCookie), ("set-cookie2", .setCookie),
    ("te", .te), ("trailer", .trailer), ("transfer-encoding", .transferEncoding), ("upgrade", .upgrade),
    ("x-octet", .xOctet), ("x-octet-key", .xOctet), ("x_octet_key", .xOctet), ("x-octetproof-key", .xOctet),
  ]

  @Test("knows each name in any case", arguments: names)
  func knows(name: String, field: KnownField) {
    let upper = Array(name.uppercased().utf8)
    let mixed = name.utf8.enumerated().map { $0.offset % 2 == 0 ? upper[$0.offset] : $0.element }
    for spelling in [Array(name.utf8), upper, mixed] {
      #expect(known(spelling) == field)
    }
  }

  @Test("knows no name that is one octet longer, shorter or other", arguments: names)
  func knowsNoNeighbours(name: String, field: KnownField) {
    let octets = Array(name.utf8)
    let families: [KnownField] = [.contentOther, .xOctet]
    guard !families.contains(field), name != "content-length", name != "content-type" else { return }
    #expect(known(octets.dropLast()) != field || name == "cookie2" || name == "set-cookie2")
    #expect(known(octets + [0x78]) == .other)
    #expect(known([0x78] + octets) == .other)
    for index in octets.indices {
      var other = octets
      other[index] ^= 0x01
      #expect(known(other) == .other || ["te", "cookie2", "set-cookie2"].contains(name))
      // 0x0D and 0x2D, `@` and backtick differ in the bit that letters fold.
      other = octets
      if !OctetClass.isToken(other[index] ^ 0x20) { other[index] ^= 0x20 }
      if other != octets { #expect(known(other) == .other) }
    }
  }

  @Test(
    "leaves every other name alone",
    arguments: ["", "x", "content-", "content", "x-octe", "xoctet", "x.octet-a"])
  func leavesAlone(name: String) {
    #expect(known(name.utf8) == .other)
  }
}

private func known(_ name: some Sequence<UInt8>) -> KnownField {
  KnownField(Array(name).span)
}
