import HTTPMessage
import Testing

@Suite("Authorities (RFC 3986 section 3.2, rule T4)")
struct AuthorityTests {
  struct Row: Sendable {
    var text: String
    var host: String
    var port: UInt16?
  }

  static let taken = [
    Row(text: "gw.test", host: "gw.test", port: nil), Row(text: "GW.Test", host: "gw.test", port: nil),
    Row(text: "gw.test:", host: "gw.test", port: nil), Row(text: "gw.test:80", host: "gw.test", port: 80),
    Row(text: "gw.test:65535", host: "gw.test", port: 65535), Row(text: "a:0", host: "a", port: 0),
    Row(text: "a:00080", host: "a", port: 80), Row(text: "127.0.0.1:1", host: "127.0.0.1", port: 1),
    Row(text: "[::1]", host: "[::1]", port: nil),
    Row(text: "[2001:DB8::F]:443", host: "[2001:db8::f]", port: 443),
    Row(text: "[::ffff:10.0.0.1]:", host: "[::ffff:10.0.0.1]", port: nil),
    Row(text: "a_b~%41", host: "a_b~%41", port: nil),
  ]

  @Test("takes names and literals, in lower case", arguments: taken)
  func takes(row: Row) throws {
    let taken = try #require(authority(row.text))
    #expect(taken == Authority(host: Array(row.host.utf8), port: row.port))
  }

  @Test(
    "refuses what is no host and port",
    arguments: [
      "", ":", ":80", "gw.test, x", "a@gw.test", "gw.test:65536", "gw.test:999999", "gw.test:-1",
      "gw.test:+1",
      "gw.test:8a", "gw.test:80:80", "gw.test/", "gw.test?", "gw.test\\", "gw test", "[", "[]", "[::1", "::1",
      "[::1]x", "[::1]80", "[1.2.3.4]", "[gw.test]", "[fe80::1%25eth0]", "[v1.a:b]", "gw.test:80 ",
      " gw.test",
      "gw\u{E9}.test", "gw.test\t", "a,b", "a;b", "gw\u{0}", "http://gw.test",
    ])
  func refuses(text: String) {
    #expect(authority(text) == nil)
  }

  @Test("writes an origin's authority with a port only where it is not the scheme's own")
  func originAuthority() {
    #expect(Origin(isTLS: true, host: "api.octetproof.com", port: 443).authority == "api.octetproof.com")
    #expect(Origin(isTLS: true, host: "a.test", port: 80).authority == "a.test:80")
    #expect(Origin(isTLS: false, host: "a.test", port: 80).authority == "a.test")
    #expect(Origin(isTLS: false, host: "a.test", port: 443).authority == "a.test:443")
    #expect(Origin(isTLS: true, host: "::1", port: 8443).authority == "[::1]:8443")
    #expect(Origin(isTLS: true, host: "::1", port: 443).authority == "[::1]")
  }
}

private func authority(_ text: String) -> Authority? {
  Authority(Array(text.utf8).span)
}
