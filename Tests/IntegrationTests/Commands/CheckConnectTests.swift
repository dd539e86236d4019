import ScriptedPeers
import Testing

@Suite("octet-gateway check --connect")
struct CheckConnectTests {
  private static let heading = "configuration is valid: 1 listener, 1 route\n"

  private func configuration(_ routes: String, _ rest: String = "") throws -> String {
    let authority = try GatewayUnderTest.authority.get()
    return "prefix = \"/octet\"\nupstream_ca_file = \"\(authority.caFile)\"\n" + GatewayCommand.listen(8443)
      + routes + rest
  }

  /// What `check --connect` says of one route to `api.octetproof.com`, played by an origin with this certificate.
  private func check(_ profile: CertificateProfile, maximum: TLSVersion = .tls13) throws
    -> ChildProcess.Outcome
  {
    let certificate = try GatewayUnderTest.authority.get().issue(profile)
    let origin = try ScriptedOrigin(
      tls: OriginTLS(certificate, minimum: .tls11, maximum: maximum)
    ) { _ in .ok() }
    defer { origin.stop() }
    let text = try configuration(
      GatewayCommand.route("/v1/", "api.octetproof.com"),
      GatewayCommand.connect([("api.octetproof.com", origin.port)]))
    let outcome = try GatewayCommand(text).check("--connect")
    #expect(origin.requests.isEmpty)
    // The certificate lives 20 days, less the moments since it was made.
    let output = outcome.output.replacing(":\(origin.port)", with: ":PORT").replacing(
      " 20 days", with: " 19 days")
    return ChildProcess.Outcome(code: outcome.code, output: output, errors: outcome.errors)
  }

  private static let line = "route /octet/v1/ -> https://api.octetproof.com/v1/: "

  @Test(
    "shows address, TLS version, chain and expiry of an upstream that is well",
    arguments: [
      (TLSVersion.tls12, "TLSv1.2"), (.tls13, "TLSv1.3"),
    ])
  func well(maximum: TLSVersion, name: String) throws {
    let outcome = try check(CertificateProfile(dnsNames: ["api.octetproof.com"]), maximum: maximum)
    #expect(
      outcome.output == CheckConnectTests.heading + CheckConnectTests.line
        + "ok: 127.0.0.1:PORT (addresses: 127.0.0.1), \(name), certificate CN=api.octetproof.com, "
        + "issued by CN=Throw-away Authority, 19 days left\n")
    #expect(outcome.errors == "")
    #expect(outcome.code == 0)
  }

  @Test(
    "says why a certificate is refused",
    arguments: [
      (CertificateProfile(dnsNames: ["api.octetproof.com"], validity: .expired), "certificate has expired"),
      (
        CertificateProfile(dnsNames: ["api.octetproof.com"], validity: .notYetValid),
        "certificate is not yet valid"
      ),
      (CertificateProfile(dnsNames: ["api.octetproof.com"], isSelfSigned: true), "self-signed certificate"),
      (
        CertificateProfile(dnsNames: ["other.test"]),
        "hostname mismatch"
      ),
    ])
  func refusedCertificate(profile: CertificateProfile, reason: String) throws {
    let outcome = try check(profile)
    #expect(
      outcome.output == CheckConnectTests.heading + CheckConnectTests.line
        + "FAILED: certificate: \(reason) (addresses: 127.0.0.1)\n")
    #expect(outcome.code == 1)
  }

  @Test("says that an upstream speaks no TLS version it may speak")
  func oldTLS() throws {
    let outcome = try check(CertificateProfile(dnsNames: ["api.octetproof.com"]), maximum: .tls11)
    #expect(outcome.output.contains(CheckConnectTests.line + "FAILED: TLS handshake: "))
    #expect(outcome.code == 1)
  }

  @Test("says that a connection is refused")
  func refused() throws {
    let port = try unusedPort()
    let text = try configuration(
      GatewayCommand.route("/v1/", "api.octetproof.com"),
      GatewayCommand.connect([("api.octetproof.com", port)]))
    let outcome = try GatewayCommand(text).check("--connect")
    #expect(
      outcome.output == CheckConnectTests.heading + CheckConnectTests.line
        + "FAILED: connection refused (addresses: 127.0.0.1)\n")
    #expect(outcome.code == 1)
  }

  @Test("says that there is no such name")
  func unknownName() throws {
    let text = try configuration(GatewayCommand.route("/v1/", "api.octet.invalid"))
    let outcome = try GatewayCommand(text).check("--connect")
    #expect(
      outcome.output == CheckConnectTests.heading
        + "route /octet/v1/ -> https://api.octet.invalid/v1/: FAILED: name not found: api.octet.invalid\n")
    #expect(outcome.code == 1)
  }

  @Test("does not dial a private address that a name leads to")
  func privateAddress() throws {
    let text = try configuration(GatewayCommand.route("/v1/", "localhost"))
    let outcome = try GatewayCommand(text).check("--connect")
    #expect(
      outcome.output.contains(
        "route /octet/v1/ -> https://localhost/v1/: FAILED: localhost leads to a private address, "
          + "and private_upstream_addresses is off (addresses: "))
    #expect(outcome.code == 1)
  }

  @Test("shows every route when one fails, and asks each origin once")
  func twoRoutes() throws {
    let origin = try GatewayUnderTest.origin()
    defer { origin.stop() }
    let text = try configuration(
      GatewayCommand.route("/v1/", "api.octetproof.com")
        + GatewayCommand.route("/ext/geo/", "api.octetproof.com")
        + GatewayCommand.route("/ext/gnss/", "archive.invalid"),
      GatewayCommand.connect([("api.octetproof.com", origin.port)]))
    let outcome = try GatewayCommand(text).check("--connect")
    let verdicts = outcome.output.split(separator: "\n").map { $0.split(separator: ": ").prefix(2) }
    #expect(
      verdicts.map { $0.joined(separator: ": ") } == [
        "configuration is valid: 1 listener, 3 routes",
        "route /octet/v1/ -> https://api.octetproof.com/v1/: ok",
        "route /octet/ext/geo/ -> https://api.octetproof.com/ext/geo/: ok",
        "route /octet/ext/gnss/ -> https://archive.invalid/ext/gnss/: FAILED",
      ])
    #expect(outcome.code == 1)
    #expect(origin.connections.count == 1)
  }

  @Test("connects nowhere without --connect")
  func withoutConnect() throws {
    let origin = try GatewayUnderTest.origin()
    defer { origin.stop() }
    let text = try configuration(
      GatewayCommand.route("/v1/", "api.octetproof.com"),
      GatewayCommand.connect([("api.octetproof.com", origin.port)]))
    let outcome = try GatewayCommand(text).check()
    #expect(outcome.output == CheckConnectTests.heading)
    #expect(outcome.code == 0)
    #expect(origin.connections.isEmpty)
  }
}
