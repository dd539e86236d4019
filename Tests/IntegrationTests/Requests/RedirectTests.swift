import GatewayConfig
import ScriptedPeers
import Testing

@Suite("X2: redirects of third parties")
struct RedirectTests {
  static func redirect(_ location: String, _ status: Int = 302) -> ScriptedResponse {
    .status(status, "Found", fields: ["Location: \(location)", "Set-Cookie: r=1"], content: octets("moved"))
  }

  static let followed: [(id: String, location: String, host: String, target: String)] = [
    (
      "an allowed host", "https://urs.earthdata.nasa.gov/oauth?a=%2F&b", "urs.earthdata.nasa.gov",
      "/oauth?a=%2F&b"
    ),
    ("in other case", "HTTPS://URS.Earthdata.NASA.gov/x", "urs.earthdata.nasa.gov", "/x"),
    ("with the scheme's port", "https://urs.earthdata.nasa.gov:443/x", "urs.earthdata.nasa.gov", "/x"),
    ("without a path", "https://urs.earthdata.nasa.gov", "urs.earthdata.nasa.gov", "/"),
    ("a query alone", "https://urs.earthdata.nasa.gov?q=1", "urs.earthdata.nasa.gov", "/?q=1"),
    ("a fragment is cut", "https://urs.earthdata.nasa.gov/x#frag", "urs.earthdata.nasa.gov", "/x"),
    ("its own host", "https://cddis.nasa.gov/elsewhere//%41", "cddis.nasa.gov", "/elsewhere//%41"),
    ("a path", "/elsewhere?x=1", "cddis.nasa.gov", "/elsewhere?x=1"),
  ]

  @Test("J03 T42 are followed to allowed hosts, without the app's secrets", arguments: followed)
  func areFollowed(_ row: (id: String, location: String, host: String, target: String)) throws {
    let archive = try Archive { _, target in
      target.hasSuffix("/start")
        ? Self.redirect(row.location) : .ok(octets("file"), fields: ["Set-Cookie: x=1"])
    }
    defer { archive.stop() }
    let response = try archive.exchange("start", "X-A: 1⏎\(ThirdPartyTests.secrets)")
    #expect(response.status == 200)
    #expect(response.content == octets("file"))
    #expect(response.values("Location").isEmpty)
    #expect(response.values("Set-Cookie").isEmpty)
    let last = row.host == "cddis.nasa.gov" ? archive.archive.requests.last : archive.login.requests.last
    expectEqual(
      last?.octets ?? [], octets("GET \(row.target) HTTP/1.1⏎Host: \(row.host)⏎X-A: 1⏎⏎"))
    #expect(archive.archive.requests.count + archive.login.requests.count == 2)
  }

  @Test("with each status are followed", arguments: [301, 302, 303, 307, 308])
  func eachStatus(_ status: Int) throws {
    let archive = try Archive { _, target in
      target.hasSuffix("/start") ? Self.redirect("/next", status) : .ok(octets("file"))
    }
    defer { archive.stop() }
    #expect(try archive.exchange("start").content == octets("file"))
  }

  @Test("of HEAD are followed as HEAD")
  func head() throws {
    let archive = try Archive { _, target in
      target.hasSuffix("/start")
        ? .octets(octets("HTTP/1.1 302 Found⏎Location: https://urs.earthdata.nasa.gov/x⏎Content-Length: 9⏎⏎"))
        : .octets(octets("HTTP/1.1 200 OK⏎Content-Length: 1488324⏎⏎"))
    }
    defer { archive.stop() }
    let response = try archive.exchange("start", method: "HEAD")
    #expect(response.status == 200)
    #expect(response.values("Content-Length") == ["1488324"])
    #expect(archive.login.requests.map(\.method) == ["HEAD"])
  }

  static let refused = [
    "https://other.test/x", "http://urs.earthdata.nasa.gov/x", "http://cddis.nasa.gov/x", "//other.test/x",
    "//urs.earthdata.nasa.gov/x", "https://urs.earthdata.nasa.gov:8443/x",
    "https://user@urs.earthdata.nasa.gov/x",
    "https://urs.earthdata.nasa.gov@other.test/x", "https://urs.earthdata.nasa.gov.other.test/x",
    "https://sub.urs.earthdata.nasa.gov/x", "https://127.0.0.1/x", "https:///x", "https:x",
    "ftp://cddis.nasa.gov/x",
    "javascript:x", "relative", "../x", "?q", "", "/a/../b", "/%2e%2e/b", "/a\\x5Cb", "/\\x5Cother.test/x",
    "/a%00",
    "/a b", "https://urs.earthdata.nasa.gov/a b", "https://api.octetproof.com/v1/flags", "#frag",
  ]

  @Test("to any other place are refused with 502, not handed on", arguments: refused)
  func areRefused(_ location: String) throws {
    let archive = try Archive { _, target in
      target.hasSuffix("/start") ? .octets(Self.raw(location)) : .ok(octets("wrong"))
    }
    defer { archive.stop() }
    let client = try archive.gateway.client()
    let response = try client.exchange(octets("GET /octet/ext/gnss/start HTTP/1.1⏎Host: gw.test⏎⏎"))
    #expect(response.status == 502)
    #expect(response.values("Content-Type") == ["application/problem+json"])
    #expect(response.values("Location").isEmpty)
    #expect(response.values("Set-Cookie").isEmpty)
    #expect(archive.archive.requests.count == 1)
    #expect(archive.login.connections.isEmpty)
  }

  private static func raw(_ location: String) -> [UInt8] {
    octets("HTTP/1.1 302 Found⏎Location: \(location)⏎Set-Cookie: r=1⏎Content-Length: 0⏎⏎")
  }

  @Test("two Locations are refused")
  func twoLocations() throws {
    let archive = try Archive { _, _ in
      .octets(octets("HTTP/1.1 302 Found⏎Location: /a⏎Location: /b⏎Content-Length: 0⏎⏎"))
    }
    defer { archive.stop() }
    expectStatus(try archive.exchange("start"), 502)
    #expect(archive.archive.requests.count == 1)
  }

  @Test("five hops are made, a sixth is refused", arguments: [5, 6])
  func hops(_ count: Int) throws {
    let archive = try Archive { _, target in
      let hop = target.split(separator: "/").last.flatMap { Int($0) } ?? 0
      return hop == count ? .ok(octets("file")) : Self.redirect("/\(hop + 1)")
    }
    defer { archive.stop() }
    let response = try archive.exchange("start")
    #expect(response.status == (count == 5 ? 200 : 502))
    #expect(archive.archive.requests.count == 6)
  }

  @Test("a loop ends")
  func loop() throws {
    let archive = try Archive { host, _ in
      Self.redirect(host == "cddis.nasa.gov" ? "https://urs.earthdata.nasa.gov/" : "https://cddis.nasa.gov/")
    }
    defer { archive.stop() }
    expectStatus(try archive.exchange("start"), 502)
    #expect(archive.archive.requests.count + archive.login.requests.count == 6)
  }

  @Test("T43 of POST are never followed", arguments: [301, 302, 303, 307, 308])
  func post(_ status: Int) throws {
    let archive = try Archive { _, _ in Self.redirect("https://urs.earthdata.nasa.gov/x", status) }
    defer { archive.stop() }
    let response = try archive.exchange("start", method: "POST", "Content-Length: 2⏎", "{}")
    #expect(response.status == 502)
    #expect(response.values("Location").isEmpty)
    #expect(archive.archive.requests.count == 1)
    #expect(archive.login.connections.isEmpty)
  }

  @Test("304 and a 3xx without Location are answers like any other", arguments: [300, 304])
  func noRedirect(_ status: Int) throws {
    let archive = try Archive { _, _ in
      .octets(octets("HTTP/1.1 \(status) X⏎ETag: \"a\"⏎Content-Length: 0⏎⏎"))
    }
    defer { archive.stop() }
    expectStatus(try archive.exchange("start"), status)
  }

  @Test(
    "S04 S06 T40 on first-party routes they go to the app, and nobody follows",
    arguments: [301, 302, 303, 307, 308])
  func firstParty(_ status: Int) throws {
    let log = try withAnswers { _ in
      Self.redirect("https://other.test/x", status)
    } _: { gateway, _ in
      let response = try gateway.client().exchange(
        octets("POST /octet/v1/a HTTP/1.1⏎Host: gw.test⏎Authorization: Bearer t⏎Content-Length: 2⏎⏎{}"))
      #expect(response.status == status)
      #expect(response.values("Location") == ["https://other.test/x"])
      #expect(response.values("Set-Cookie") == ["r=1"])
    }
    #expect(log.requests.count == 1)
  }

  @Test("J01 a login page answers 200 and is passed as it is")
  func loginPage() throws {
    let archive = try Archive { _, _ in .ok(octets("<form>"), fields: ["Content-Type: text/html"]) }
    defer { archive.stop() }
    let response = try archive.exchange("2026/001/26n/x.gz")
    #expect(response.values("Content-Type") == ["text/html"])
    #expect(response.content == octets("<form>"))
  }
}
