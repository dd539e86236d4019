import HTTPMessage
import Routing
import Testing

@Suite("Redirects of third parties (rule X2)")
struct RedirectTests {
  static let geo = Route(
    path: Array("/octet/ext/gnss/".utf8), origin: archive, upstreamPath: Array("/archive/".utf8),
    isThirdParty: true,
    redirectHosts: ["urs.earthdata.nasa.gov"], name: "/ext/gnss/")

  private func resolve(_ location: String, from origin: Origin = archive, _ route: Route = geo) -> String? {
    Redirect.resolve(location: Array(location.utf8).span, from: origin, route: route).map {
      "\($0.origin.isTLS ? "https" : "http") \($0.origin.authority) \(String(decoding: $0.target, as: UTF8.self))"
    }
  }

  @Test("follows a path from the root, and https to an allowed host")
  func follows() {
    #expect(resolve("/a%2Fb?c") == "https cddis.nasa.gov /a%2Fb?c")
    #expect(resolve("/") == "https cddis.nasa.gov /")
    #expect(resolve("/a#frag ment") == "https cddis.nasa.gov /a")
    #expect(
      resolve("https://URS.earthdata.nasa.gov/oauth?x=1#y") == "https urs.earthdata.nasa.gov /oauth?x=1")
    #expect(resolve("HTTPS://cddis.nasa.gov:443") == "https cddis.nasa.gov /")
    #expect(resolve("https://cddis.nasa.gov?q=/../") == "https cddis.nasa.gov /?q=/../")
    #expect(resolve("https://cddis.nasa.gov#x") == "https cddis.nasa.gov /")
    let login = Origin(isTLS: true, host: "urs.earthdata.nasa.gov", port: 443)
    #expect(resolve("/back", from: login) == "https urs.earthdata.nasa.gov /back")
    #expect(resolve("https://cddis.nasa.gov/x", from: login) == "https cddis.nasa.gov /x")
  }

  @Test(
    "follows nothing else",
    arguments: [
      "", "#x", "?x", "x", "./x", "//evil.test/", "/\\evil.test/", "\\\\evil.test", "http://cddis.nasa.gov/",
      "https://",
      "https:/x", "https:x", "https:///x", "https://evil.test/", "https://cddis.nasa.gov.evil.test/",
      "https://evil.test@cddis.nasa.gov/",
      "https://cddis.nasa.gov@evil.test/", "https://cddis.nasa.gov:8443/",
      "https://cddis.nasa.gov\\.evil.test/",
      "https://urs.earthdata.nasa.gov:444/", "https://urs.earthdata.nasa.gov./", "ftp://cddis.nasa.gov/",
      "/a b", "/a\tb", "/a\r\nX: 1",
      "/\u{7F}", "/a/../b", "/%2e%2e/", "/a%2f..%2fb", "/a\\b", "/%00", "https://cddis.nasa.gov/..",
      "javascript:x", " /a",
    ])
  func followsNothingElse(location: String) {
    #expect(resolve(location) == nil)
  }

  @Test("stays on a plain origin only where the route is plain")
  func plain() {
    let origin = Origin(isTLS: false, host: "a.test", port: 8080)
    let plain = Route(path: [0x2F], origin: origin, upstreamPath: [0x2F], isThirdParty: true, name: "/")
    #expect(resolve("/x", from: origin, plain) == "http a.test:8080 /x")
    #expect(resolve("http://a.test:8080/x", from: origin, plain) == nil)
    #expect(resolve("https://a.test:8080/x", from: origin, plain) == nil)
    #expect(resolve("/x", from: origin) == nil)
  }

  @Test("knows an IPv6 literal for the origin that it is")
  func literal() {
    let origin = Origin(isTLS: true, host: "::1", port: 8443)
    let literal = Route(path: [0x2F], origin: origin, upstreamPath: [0x2F], isThirdParty: true, name: "/")
    #expect(resolve("https://[::1]:8443/x", from: origin, literal) == "https [::1]:8443 /x")
    #expect(resolve("https://[::2]:8443/x", from: origin, literal) == nil)
  }
}
