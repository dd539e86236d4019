import GatewayConfig
import Testing

@Suite("Upstreams and connect_to rules")
struct AddressSyntaxTests {
  @Test(
    "takes an upstream apart",
    arguments: [
      (
        "https://api.octetproof.com/v1/",
        UpstreamURL(isTLS: true, host: "api.octetproof.com", port: 443, path: "/v1/")
      ),
      ("http://H/", UpstreamURL(isTLS: false, host: "h", port: 80, path: "/")),
      ("https://[::1]:9443/a/b/", UpstreamURL(isTLS: true, host: "::1", port: 9443, path: "/a/b/")),
      (
        "https://[::FFFF:192.0.2.1]/",
        UpstreamURL(isTLS: true, host: "::ffff:192.0.2.1", port: 443, path: "/")
      ),
      ("https://10.0.0.1/%41/", UpstreamURL(isTLS: true, host: "10.0.0.1", port: 443, path: "/%41/")),
    ])
  func upstream(text: String, expected: UpstreamURL) throws {
    let parsed = try UpstreamURL.parse(text)
    #expect(parsed == expected)
    #expect(try UpstreamURL.parse(parsed.text) == parsed)
  }

  @Test(
    "refuses hosts that are none",
    arguments: [
      "[", "[]", "[:]", "[:::]", "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[1::2::3]", "[::12345]",
      "[1.2.3.4::]",
      "[::1%25eth0]", "[::1.2.3]", "[::256.0.0.1]", "1.2.3.4.5", "1.2.3", "0x7f.1", "a..b", ".a", "a.", "-a",
      "a-", "a b",
      "h\u{E9}",
    ])
  func badHost(host: String) {
    #expect(throws: ValueError.self) { try UpstreamURL.parse("https://\(host)/") }
  }

  @Test("never shows what may be a secret") func userinfo() {
    #expect { try UpstreamURL.parse("https://user:secret@h/") } throws: { error in
      !"\(error)".contains("secret")
    }
  }

  @Test(
    "reads a connect_to rule",
    arguments: [
      ("a:1:b:2", ConnectToRule(host: "a", port: 1, toHost: "b", toPort: 2)),
      ("::b:2", ConnectToRule(host: "", port: nil, toHost: "b", toPort: 2)),
      ("A::127.0.0.1:", ConnectToRule(host: "a", port: nil, toHost: "127.0.0.1", toPort: nil)),
      ("[::1]:1:[::2]:2", ConnectToRule(host: "::1", port: 1, toHost: "::2", toPort: 2)),
    ])
  func connectTo(text: String, expected: ConnectToRule) throws {
    let rule = try ConnectToRule.parse(text)
    #expect(rule == expected)
    #expect(try ConnectToRule.parse(rule.text) == rule)
  }

  @Test(
    "refuses rules that are none",
    arguments: ["", "a", "a:1:b", "a:1:b:2:c", "a:0:b:1", "::1:1:b:2", "a:1::", "[a:1:b:2"])
  func badRule(text: String) {
    #expect(throws: ValueError.self) { try ConnectToRule.parse(text) }
  }
}
