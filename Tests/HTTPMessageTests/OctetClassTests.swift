import HTTPMessage
import Testing

@Suite("Octet classes (RFC 9110 section 5.6.2, RFC 3986)")
struct OctetClassTests {
  static let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
  static let digits = Set("0123456789".utf8)

  @Test("has the token characters of RFC 9110 and no others", arguments: UInt8.min...UInt8.max)
  func token(octet: UInt8) {
    let tokens = Self.letters.union(Self.digits).union("!#$%&'*+-.^_`|~".utf8)
    #expect(OctetClass.isToken(octet) == tokens.contains(octet))
  }

  @Test("takes unreserved characters and % in a host name", arguments: UInt8.min...UInt8.max)
  func hostName(octet: UInt8) {
    let names = Self.letters.union(Self.digits).union("-._~%".utf8)
    #expect(OctetClass.isHostName(octet) == names.contains(octet))
  }

  @Test("takes all but control octets in a value, and lets DEL pass (F1)", arguments: UInt8.min...UInt8.max)
  func fieldValue(octet: UInt8) {
    #expect(OctetClass.isFieldValue(octet) == (octet >= 0x20 || octet == 0x09))
  }

  @Test("refuses control octets, SP, DEL and # in a target (T3)", arguments: UInt8.min...UInt8.max)
  func target(octet: UInt8) {
    let isRefused = octet <= 0x20 || octet == 0x7F || octet == UInt8(ascii: "#")
    #expect(OctetClass.isTarget(octet) == !isRefused)
  }

  @Test("knows digits, hexadecimal digits and case", arguments: UInt8.min...UInt8.max)
  func digits(octet: UInt8) {
    let character = octet < 0x80 ? Character(Unicode.Scalar(octet)) : "\u{FF}"
    #expect(OctetClass.isDigit(octet) == Self.digits.contains(octet))
    #expect(OctetClass.hexValue(octet).map { Int($0) } == (octet < 0x80 ? character.hexDigitValue : nil))
    let lower = octet < 0x80 ? character.lowercased().utf8.first ?? octet : octet
    #expect(OctetClass.lowercased(octet) == lower)
  }

  @Test("compares names without ASCII case and nothing else")
  func comparesNames() {
    for octet in UInt8.min...UInt8.max {
      let isK = octet == UInt8(ascii: "k") || octet == UInt8(ascii: "K")
      #expect(equals([octet], "k") == isK)
    }
    #expect(!equals("hos".utf8, "host"))
    #expect(!equals("hostx".utf8, "host"))
    #expect(starts("abc".utf8, "ab".utf8))
    #expect(!starts("a".utf8, "ab".utf8))
    #expect(!starts("Ab".utf8, "ab".utf8))
  }
}

private func equals(_ octets: some Sequence<UInt8>, _ text: StaticString) -> Bool {
  Array(octets).span.equalsIgnoringCase(text)
}

private func starts(_ octets: some Sequence<UInt8>, _ prefix: some Sequence<UInt8>) -> Bool {
  Array(octets).span.starts(with: Array(prefix))
}
