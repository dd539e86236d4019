import GatewayConfig
import ScriptedPeers
import Testing

/// A gateway with a third-party route, and every host a redirect may name.
struct Archive {
  /// `cddis.nasa.gov`.
  let archive: ScriptedOrigin
  /// `urs.earthdata.nasa.gov`, to which redirects are allowed.
  let login: ScriptedOrigin
  let gateway: GatewayUnderTest
  /// `api.octetproof.com` and `other.test`, which must hear nothing.
  private let others: ScriptedOrigin

  /// - Parameter answer: what a host says to a target.
  init(_ answer: @escaping @Sendable (_ host: String, _ target: String) -> ScriptedResponse) throws {
    let make = { (name: String) in
      try GatewayUnderTest.origin(name) { answer($0.head.value("Host") ?? "", $0.target) }
    }
    archive = try make("cddis.nasa.gov")
    login = try make("urs.earthdata.nasa.gov")
    others = try make("other.test")
    let login = login
    let others = others
    gateway = try GatewayUnderTest(api: others, archive: archive) { configuration in
      configuration.routes = configuration.routes.map {
        var route = $0
        if route.thirdParty { route.redirectHosts = ["urs.earthdata.nasa.gov"] }
        return route
      }
      for (host, origin) in [("urs.earthdata.nasa.gov", login), ("other.test", others)] {
        configuration.connectTo.append(
          ConnectToRule(host: host, port: nil, toHost: origin.address, toPort: origin.port))
      }
    }
  }

  /// Stops everything; nobody but the allowed hosts may have been connected to.
  func stop() {
    gateway.stop()
    for origin in [archive, login, others] { origin.stop() }
    #expect(others.connections.isEmpty)
  }

  /// The whole exchange of a request for `/octet/ext/gnss/` and `tail`.
  func exchange(
    _ tail: String, method: String = "GET", _ lines: String = "", _ content: String = ""
  ) throws -> RawResponse {
    try gateway.client().exchange(
      octets("\(method) /octet/ext/gnss/\(tail) HTTP/1.1⏎Host: gw.test⏎\(lines)⏎\(content)"))
  }
}

@Suite("X1: third parties")
struct ThirdPartyTests {
  static let secrets =
    "Authorization: Bearer S⏎COOKIE: s=S⏎Cookie2: S⏎Proxy-Authorization: Basic S⏎X-Octet-Device: S⏎x-octet-b: S⏎"
    + "X_Octet_C: S⏎X-Octet: S⏎"

  @Test("C8 T28 the app's credentials never reach one; the rest of the request does")
  func secretsStay() throws {
    let archive = try Archive { _, _ in .ok(octets("ok")) }
    defer { archive.stop() }
    let response = try archive.exchange("2026/a%2Fb?x=1", "Accept: */*⏎\(Self.secrets)Range: bytes=0-9⏎")
    #expect(response.content == octets("ok"))
    expectEqual(
      archive.archive.requests[0].octets,
      octets("GET /archive/gnss/data/daily/2026/a%2Fb?x=1 HTTP/1.1⏎Host: cddis.nasa.gov⏎Accept: */*⏎")
        + octets("Range: bytes=0-9⏎⏎"))
    #expect(archive.archive.connections[0].hello.serverName == "cddis.nasa.gov")
  }

  @Test("nor in trailers")
  func secretTrailers() throws {
    let archive = try Archive { _, _ in .ok() }
    defer { archive.stop() }
    let response = try archive.exchange(
      "x", method: "POST", "Transfer-Encoding: chunked⏎", "1⏎a⏎0⏎X-Sum: 1⏎\(Self.secrets)X-B: 2⏎⏎")
    #expect(response.status == 200)
    expectEqual(archive.archive.requests[0].body.trailers, octets("X-Sum: 1⏎X-B: 2⏎"))
  }

  @Test("first-party routes get them all, /ext/geo/ too", arguments: ["v1/flags", "ext/geo/reverse"])
  func firstParty(_ path: String) throws {
    let lines = Self.secrets.replacing("Proxy-Authorization: Basic S⏎", with: "")
    try ForwardCase(
      path, "GET /octet/\(path) HTTP/1.1⏎Host: gw.test⏎\(Self.secrets)⏎",
      upstream: "GET /\(path) HTTP/1.1⏎Host: api.octetproof.com⏎\(lines)⏎"
    ).check()
  }

  @Test("its cookies never come back: not in the head, an interim one, or trailers")
  func cookiesStay() throws {
    let archive = try Archive { _, _ in
      .octets(
        octets("HTTP/1.1 103 Early Hints⏎Set-Cookie: a=1⏎Link: </x>⏎⏎")
          + octets("HTTP/1.1 200 OK⏎Set-Cookie: b=1⏎X-A: 1⏎SET-COOKIE2: c=1⏎Set-Cookie: d=1⏎")
          + octets("Transfer-Encoding: chunked⏎⏎1⏎x⏎0⏎Set-Cookie: e=1⏎X-T: 1⏎⏎"))
    }
    defer { archive.stop() }
    let client = try archive.gateway.client()
    let response = try client.exchange(octets("GET /octet/ext/gnss/x HTTP/1.1⏎Host: gw.test⏎TE: trailers⏎⏎"))
    #expect(response.content == octets("x"))
    #expect(response.values("X-A") == ["1"])
    #expect(Octets.find(octets("ookie"), in: client.received) == nil)
    #expect(Octets.find(octets("OOKIE"), in: client.received) == nil)
    expectEqual(response.body.trailers, octets("X-T: 1⏎"))
  }

  @Test("first-party cookies come back")
  func firstPartyCookies() throws {
    try withAnswers { _ in
      .ok(fields: ["Set-Cookie: a=1", "Set-Cookie: b=2"])
    } _: { gateway, _ in
      let response = try gateway.client().exchange(octets("GET /octet/v1/a HTTP/1.1⏎Host: gw.test⏎⏎"))
      #expect(response.values("Set-Cookie") == ["a=1", "b=2"])
    }
  }

  @Test("E03 a range of a packed file arrives as it is")
  func range() throws {
    let part = content(100)
    let archive = try Archive { _, _ in
      .status(
        206, "Partial Content",
        fields: ["Content-Range: bytes 100-199/1000", "Content-Type: application/gzip"],
        content: part)
    }
    defer { archive.stop() }
    let response = try archive.exchange("f.gz", "Range: bytes=100-199⏎Accept-Encoding: gzip⏎")
    #expect(response.status == 206)
    #expect(response.values("Content-Range") == ["bytes 100-199/1000"])
    #expect(response.values("Content-Encoding").isEmpty)
    expectEqual(response.content, part)
    #expect(archive.archive.requests[0].head.values("Range") == ["bytes=100-199"])
  }
}
