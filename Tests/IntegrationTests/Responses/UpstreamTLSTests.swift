import Gateway
import GatewayConfig
import ScriptedPeers
import Testing

@Suite("C3: TLS to the upstream")
struct UpstreamTLSTests {
  private static let name = "api.octetproof.com"

  /// Certificates that must not do, and why.
  private static let refused: [(String, CertificateProfile)] = [
    ("self-signed", CertificateProfile(dnsNames: [name], isSelfSigned: true)),
    ("other name", CertificateProfile(dnsNames: ["octetproof.com", "api.octetproof.org"])),
    ("expired", CertificateProfile(dnsNames: [name], validity: .expired)),
    ("not yet valid", CertificateProfile(dnsNames: [name], validity: .notYetValid)),
    ("common name only", CertificateProfile(commonName: name)),
    ("common name beside an address", CertificateProfile(addresses: ["127.0.0.1"], commonName: name)),
    ("wildcard a level below", CertificateProfile(dnsNames: ["*.api.octetproof.com"], commonName: "x")),
    ("wildcard a level above", CertificateProfile(dnsNames: ["*.com"], commonName: "x")),
    ("wildcard for several labels", CertificateProfile(dnsNames: ["*.*.com"], commonName: "x")),
    ("part of a label", CertificateProfile(dnsNames: ["a*.octetproof.com"], commonName: "x")),
    ("the dialled address only", CertificateProfile(addresses: ["127.0.0.1"], commonName: "x")),
  ]

  private func origin(_ tls: OriginTLS) throws -> ScriptedOrigin {
    try ScriptedOrigin(tls: tls) { _ in .ok() }
  }

  @Test(
    "refuses a certificate that does not prove the name: 502, and not one octet of HTTP (L03)",
    arguments: refused)
  func certificate(_ what: String, _ profile: CertificateProfile) throws {
    let api = try origin(OriginTLS(try GatewayUnderTest.authority.get().issue(profile)))
    let client = try GatewayUnderTest(api: api).client()
    for request in [Ask.get(), Ask.post("/v1/proofs", "Authorization: Bearer t⏎", content: [1])] {
      expectOwnAnswer(try client.exchange(request), 502, "tls_certificate_error")
    }
    for connection in try api.waitForConnections(2) { #expect(connection.octets.isEmpty, "\(what)") }
    #expect(api.requests.isEmpty)
  }

  @Test("refuses another authority, also when the certificate is right otherwise")
  func otherAuthority() throws {
    let api = try origin(OriginTLS(try ThrowawayAuthority(name: "Somebody").issue(Self.name)))
    let response = try GatewayUnderTest(api: api).client().exchange(Ask.get())
    expectOwnAnswer(response, 502, "tls_certificate_error")
    #expect(api.requests.isEmpty)
  }

  @Test("trusts no throw-away authority by default")
  func systemStore() throws {
    let api = try GatewayUnderTest.origin()
    let gateway = try GatewayUnderTest(api: api) { $0.upstreamCAFile = nil }
    expectOwnAnswer(try gateway.client().exchange(Ask.get()), 502, "tls_certificate_error")
  }

  @Test(
    "takes a name, a wildcard on the right level, and either kind of key",
    arguments: [
      CertificateProfile(dnsNames: ["other.test", "api.octetproof.com"]),
      CertificateProfile(dnsNames: ["*.octetproof.com"], commonName: "x"),
      CertificateProfile(dnsNames: ["API.OctetProof.com"], key: .rsa2048),
    ])
  func accepted(_ profile: CertificateProfile) throws {
    let api = try origin(OriginTLS(try GatewayUnderTest.authority.get().issue(profile)))
    #expect(try GatewayUnderTest(api: api).client().exchange(Ask.get()).status == 200)
  }

  @Test("is 1.2 or 1.3", arguments: [TLSVersion.tls12, .tls13])
  func version(_ version: TLSVersion) throws {
    let api = try origin(.only(version, try GatewayUnderTest.authority.get().issue(Self.name)))
    #expect(try GatewayUnderTest(api: api).client().exchange(Ask.get()).status == 200)
    #expect(api.connections[0].tlsVersion == version.rawValue)
  }

  @Test("does not fall back to 1.1 (L06)")
  func oldVersion() throws {
    let api = try origin(.only(.tls11, try GatewayUnderTest.authority.get().issue(Self.name)))
    let response = try GatewayUnderTest(api: api).client().exchange(Ask.get())
    expectOwnAnswer(response, 502, "tls_protocol_error")
    try api.wait("the handshake's end") { $0.connections.first?.isFinished == true }
    #expect(api.connections.allSatisfy { $0.tlsVersion == nil && $0.octets.isEmpty })
  }

  @Test("names the route's upstream in SNI and Host, and offers HTTP/1.1 alone (L01, L02, K05, K06)")
  func names() throws {
    let api = try origin(
      OriginTLS(try GatewayUnderTest.authority.get().issue(Self.name), protocols: ["h2", "http/1.1"]))
    let archive = try GatewayUnderTest.origin("cddis.nasa.gov")
    let gateway = try GatewayUnderTest(api: api, archive: archive)
    let client = try gateway.client()
    for host in ["gw.test", "gw.test:443", "127.0.0.1:8443", "[::1]"] {
      for path in ["/v1/flags", "/ext/gnss/2026/x.gz"] {
        let response = try client.exchange(octets("GET /octet\(path) HTTP/1.1⏎HOST: \(host)⏎⏎"))
        #expect(response.status == 200)
      }
    }
    for (origin, name) in [(api, Self.name), (archive, "cddis.nasa.gov")] {
      #expect(origin.connections.map(\.hello.serverName) == [name])
      #expect(origin.connections.map(\.hello.protocols) == [["http/1.1"]])
      #expect(origin.requests.allSatisfy { $0.head.values("Host") == [name] })
    }
    #expect(api.connections[0].negotiatedProtocol == "http/1.1")
  }

  @Test("reports a handshake that fails", arguments: [OriginTLS.Handshake.refuse, .close])
  func failedHandshake(_ how: OriginTLS.Handshake) throws {
    var tls = try GatewayUnderTest.originTLS()
    tls.handshake = how
    let response = try GatewayUnderTest(api: try origin(tls)).client().exchange(Ask.get())
    expectOwnAnswer(response, 502, "tls_protocol_error")
  }

  @Test("is not made with an upstream that speaks plain HTTP")
  func plain() throws {
    let api = try ScriptedOrigin(script: { _ in [.send(octets("HTTP/1.1 400 Bad⏎⏎"))] })
    let response = try GatewayUnderTest(api: api).client().exchange(Ask.get("/v1/x", "Cookie: secret⏎"))
    expectOwnAnswer(response, 502, "tls_protocol_error")
    #expect(api.connections.allSatisfy { Octets.find(octets("secret"), in: $0.octets) == nil })
  }
}

@Suite("L06: TLS from the client")
struct ClientTLSTests {
  @Test("refuses renegotiation, twenty times, and serves on")
  func renegotiation() throws {
    let api = try GatewayUnderTest.origin()
    let gateway = try GatewayUnderTest(api: api)
    for _ in 0..<20 {
      let client = try RawClient(
        port: gateway.tlsPort,
        tls: ClientTLS(caFile: gateway.authority.caFile, serverName: "gw.test").only(.tls12))
      #expect(try client.exchange(Ask.get()).status == 200)
      #expect(throws: PeerError.self) { try client.renegotiate(within: .milliseconds(500)) }
    }
    #expect(try gateway.client().exchange(Ask.get()).status == 200)
  }

  @Test("is 1.2 or 1.3")
  func versions() throws {
    let gateway = try GatewayUnderTest(api: try GatewayUnderTest.origin())
    let tls = ClientTLS(caFile: gateway.authority.caFile, serverName: "gw.test")
    #expect(throws: PeerError.self) { try RawClient(port: gateway.tlsPort, tls: tls.only(.tls11)) }
    for version in [TLSVersion.tls12, .tls13] {
      let client = try RawClient(port: gateway.tlsPort, tls: tls.only(version))
      #expect(client.tlsVersion == version.rawValue)
      #expect(try client.exchange(Ask.get()).status == 200)
    }
  }
}
