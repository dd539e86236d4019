import CLinux
import Glibc
import ScriptedPeers
import Testing

@Suite("octet-gateway's start and end")
struct StartTests {
  private let usage: Int32 = 64
  private let badConfiguration: Int32 = 78
  private static let route = GatewayCommand.route("/v1/", "api.octetproof.com")

  private static func authority() throws -> ThrowawayAuthority { try GatewayUnderTest.authority.get() }

  /// `serve` and `check` say the same of a file they can't use.
  private func expectRefused(
    _ configuration: String, _ reason: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let command = try GatewayCommand(configuration)
    for outcome in [try command.serve().wait(), try command.check()] {
      #expect(outcome.code == badConfiguration, sourceLocation: sourceLocation)
      #expect(outcome.errors.contains(reason), sourceLocation: sourceLocation)
      #expect(outcome.output == "", sourceLocation: sourceLocation)
    }
  }

  @Test("names the certificate file that is missing")
  func missingCertificate() throws {
    let key = try StartTests.authority().issue("gw.test").keyFile
    try expectRefused(
      GatewayCommand.listen(try unusedPort(), certificate: "/nonexistent/gw.pem", key: key)
        + StartTests.route,
      "octet-gateway: certificate /nonexistent/gw.pem: not a readable PEM chain, the leaf first (")
  }

  @Test("names the key file that is missing")
  func missingKey() throws {
    let certificate = try StartTests.authority().issue("gw.test")
    try expectRefused(
      GatewayCommand.listen(try unusedPort(), certificate: certificate.chainFile, key: "/nonexistent/gw.key")
        + StartTests.route,
      "octet-gateway: certificate_key /nonexistent/gw.key: not a readable, unencrypted PEM key (")
  }

  @Test(
    "says that a key belongs to another certificate",
    arguments: [
      CertificateProfile.Key.p256, .rsa2048,
    ])
  func otherKey(kind: CertificateProfile.Key) throws {
    let certificate = try StartTests.authority().issue("gw.test")
    let other = try StartTests.authority().issue(CertificateProfile(dnsNames: ["gw.test"], key: kind))
    try expectRefused(
      GatewayCommand.listen(try unusedPort(), certificate: certificate.chainFile, key: other.keyFile)
        + StartTests.route,
      "certificate_key \(other.keyFile) does not belong to certificate \(certificate.chainFile) (")
  }

  @Test("names a file of authorities that is missing or holds none", arguments: [nil, "", "not PEM\n"])
  func badAuthorities(content: String?) throws {
    let path = try content.map {
      try TemporaryDirectory.write(Array($0.utf8), "ca.pem", in: TemporaryDirectory.make())
    }
    let file = path ?? "/nonexistent/ca.pem"
    try expectRefused(
      "upstream_ca_file = \"\(file)\"\n" + GatewayCommand.listen(try unusedPort()) + StartTests.route,
      "octet-gateway: upstream_ca_file \(file): not a readable PEM file of authorities (")
  }

  @Test("names a log that can't be written")
  func badLog() throws {
    try expectRefused(
      "access_log = \"/nonexistent/access.log\"\n" + GatewayCommand.listen(try unusedPort())
        + StartTests.route,
      "octet-gateway: access_log /nonexistent/access.log: No such file or directory")
  }

  @Test("check leaves no log file behind")
  func checkMakesNoLog() throws {
    let directory = try TemporaryDirectory.make()
    let outcome = try GatewayCommand(
      "access_log = \"\(directory)/access.log\"\n" + GatewayCommand.listen(8443) + StartTests.route
    ).check()
    #expect(outcome.code == 0)
    #expect(Files.octets("\(directory)/access.log") == nil)
  }

  @Test("names line and column of a mistake in the configuration")
  func badDirective() throws {
    try expectRefused("prefix = \"/octet\"\nprefiks = \"/x\"\n", "gateway.conf:2")
  }

  @Test("says which address is in use, to serve alone")
  func portInUse() throws {
    let taken = try ScriptedOrigin { _ in .ok() }
    defer { taken.stop() }
    let command = try GatewayCommand(GatewayCommand.listen(taken.port) + StartTests.route)
    let outcome = try command.serve().wait()
    #expect(outcome.code == badConfiguration)
    #expect(
      outcome.errors
        == "octet-gateway: listen 127.0.0.1 port \(taken.port): bind: Address already in use\n")
    // A check must succeed beside the gateway that serves.
    #expect(try command.check().code == 0)
  }

  @Test("does not share an address with another octet-gateway, however many workers it has")
  func addressOfAnother() throws {
    let api = try GatewayUnderTest.origin()
    defer { api.stop() }
    let first = try SpawnedGateway(api: api)
    let text = "workers = 2\n" + GatewayCommand.listen(first.plainPort) + StartTests.route
    let outcome = try GatewayCommand(text).serve().wait()
    #expect(outcome.code == badConfiguration)
    #expect(outcome.errors.contains("bind: Address already in use"))
  }

  @Test(
    "answers a bad command line with the usage",
    arguments: [
      ([], "no command given"), (["sevre"], "unknown command 'sevre'"),
      (["serve"], "--config FILE is missing"), (["serve", "--config"], "--config needs one FILE"),
      (["serve", "--config", "a", "--config", "b"], "--config needs one FILE"),
      (["serve", "--config", "a", "--connect"], "unknown argument '--connect'"),
      (["check", "--config", "a", "b"], "unknown argument 'b'"),
      (["config-reference", "--exmaple"], "config-reference takes --example or nothing"),
    ])
  func misuse(arguments: [String], problem: String) throws {
    let outcome = try ChildProcess.run([GatewayCommand.program] + arguments)
    #expect(outcome.code == usage)
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("octet-gateway: \(problem)\n\noctet-gateway: a reverse proxy"))
  }

  @Test("names a configuration file that is missing")
  func missingFile() throws {
    let outcome = try ChildProcess.run([GatewayCommand.program, "serve", "--config", "/nonexistent/gw.conf"])
    #expect(outcome.code == badConfiguration)
    #expect(outcome.errors.contains("/nonexistent/gw.conf"))
  }

  @Test("prints the usage and the version that were asked for")
  func help() throws {
    let help = try ChildProcess.run([GatewayCommand.program, "--help"])
    #expect(help.code == 0)
    #expect(help.output.contains("octet-gateway serve --config FILE"))
    let version = try ChildProcess.run([GatewayCommand.program, "--version"])
    #expect(version.code == 0)
    #expect(version.output.split(separator: " ").first == "octet-gateway")
  }

  @Test(
    "prints the reference and the example as they are in the repository",
    arguments: [
      (["config-reference"], "docs/CONFIGURATION.md"),
      (["config-reference", "--example"], "gateway.conf.example"),
    ])
  func reference(arguments: [String], file: String) throws {
    let outcome = try ChildProcess.run([GatewayCommand.program] + arguments)
    let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
    #expect(outcome.code == 0)
    #expect(
      Octets.difference(expected: Files.octets("\(root)/\(file)") ?? [], actual: Array(outcome.output.utf8))
        == nil)
  }

  @Test("ends with 0 soon after SIGTERM or SIGINT when idle", arguments: [SIGTERM, SIGINT])
  func stops(signal: Int32) throws {
    let certificate = try StartTests.authority().issue("gw.test")
    let port = try unusedPort()
    let gateway = try GatewayCommand(
      GatewayCommand.listen(port, certificate: certificate.chainFile, key: certificate.keyFile)
        + StartTests.route
    ).serve()
    try StartTests.waitUntilListening(port, gateway)
    kill(gateway.process, signal)
    let outcome = try gateway.wait(within: .seconds(2))
    #expect(outcome.code == 0)
    let events = outcome.errors.split(separator: "\n")
    #expect(events.count == 3)
    let said = ["serving", "draining", "stopped"]
    for (line, event) in zip(events, said) { #expect(line.contains("\"event\":\"\(event)"), "\(line)") }
    #expect(events.first?.contains("\"listen_1\":\"127.0.0.1 port \(port), TLS\"") == true)
  }

  @Test("goes on after SIGHUP, which rotates logs elsewhere")
  func hangUp() throws {
    let api = try GatewayUnderTest.origin()
    defer { api.stop() }
    let gateway = try SpawnedGateway(api: api)
    kill(gateway.process, SIGHUP)
    for _ in 0..<3 { #expect(try gateway.plainClient().exchange(Ask.get("/v1/flags")).status == 200) }
  }

  /// Waits until `gateway` accepts a connection on `port`.
  private static func waitUntilListening(_ port: UInt16, _ gateway: ChildProcess) throws {
    let deadline = Deadline(within: .seconds(10))
    while !deadline.isPast, gateway.ended() == nil {
      if let client = try? RawClient(port: port) { return client.close() }
      usleep(5_000)
    }
    Issue.record("the gateway does not listen: \(gateway.errors)")
  }
}
