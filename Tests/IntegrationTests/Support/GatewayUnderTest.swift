import Gateway
import GatewayConfig
import ScriptedPeers

/// A gateway in this process between a scripted client and scripted origins, with throw-away certificates.
///
/// Clients reach it over TLS as `gw.test` under `/octet`; its upstreams carry the vendor's names and are found by
/// `connect_to`.
final class GatewayUnderTest {
  static let authority = Result { try ThrowawayAuthority() }
  /// Issued once for each name.
  private static let certificates = Monitor([String: IssuedCertificate]())

  let authority: ThrowawayAuthority
  let gateway: Gateway
  let tlsPort: UInt16
  let plainPort: UInt16

  /// - Parameters:
  ///   - api: plays `api.octetproof.com` for `/v1/` and `/ext/geo/`.
  ///   - archive: plays `cddis.nasa.gov` for `/ext/gnss/`; `/ext/gnss/` is absent without it.
  ///   - configure: changes the configuration before the start.
  init(
    api: ScriptedOrigin, archive: ScriptedOrigin? = nil,
    _ configure: (inout Configuration) -> Void = { _ in }
  ) throws {
    authority = try GatewayUnderTest.authority.get()
    let certificate = try GatewayUnderTest.certificate("gw.test")
    var configuration = Configuration(prefix: "/octet", workers: 1)
    configuration.listeners = [
      ListenerConfiguration(
        address: "127.0.0.1", port: 0, certificate: certificate.chainFile, certificateKey: certificate.keyFile
      ),
      ListenerConfiguration(address: "127.0.0.1", port: 0),
    ]
    configuration.accessLog = .off
    configuration.errorLog = .off
    configuration.upstreamCAFile = authority.caFile
    configuration.routes = GatewayUnderTest.routes(archive: archive != nil)
    configuration.connectTo = [
      ConnectToRule(host: "api.octetproof.com", port: 443, toHost: api.address, toPort: api.port)
    ]
    if let archive {
      configuration.connectTo.append(
        ConnectToRule(host: "cddis.nasa.gov", port: 443, toHost: archive.address, toPort: archive.port))
    }
    configure(&configuration)
    gateway = try Gateway(configuration)
    tlsPort = gateway.ports[0]
    plainPort = gateway.ports[1]
  }

  /// Tests leave idle connections behind; the drain gives each a second, so stop only where that matters.
  func stop() { gateway.drainAndStop() }

  private static func routes(archive: Bool) -> [RouteConfiguration] {
    let api = { (path: String) in
      RouteConfiguration(
        path: path, upstream: UpstreamURL(isTLS: true, host: "api.octetproof.com", port: 443, path: path))
    }
    let gnss = RouteConfiguration(
      path: "/ext/gnss/",
      upstream: UpstreamURL(
        isTLS: true, host: "cddis.nasa.gov", port: 443, path: "/archive/gnss/data/daily/"),
      thirdParty: true)
    return [api("/v1/"), api("/ext/geo/")] + (archive ? [gnss] : [])
  }

  /// The TLS side of an origin with that name, signed by the test's authority.
  static func originTLS(_ name: String = "api.octetproof.com") throws -> OriginTLS {
    OriginTLS(try certificate(name))
  }

  private static func certificate(_ name: String) throws -> IssuedCertificate {
    try certificates.change { known in
      if let found = known[name] { return found }
      let issued = try authority.get().issue(name)
      known[name] = issued
      return issued
    }
  }

  /// An origin over TLS that answers each request.
  static func origin(
    _ name: String = "api.octetproof.com",
    _ respond: @escaping @Sendable (RecordedRequest) -> ScriptedResponse = { _ in .ok() }
  ) throws -> ScriptedOrigin {
    try ScriptedOrigin(tls: try originTLS(name), respond: respond)
  }

  /// An origin over TLS that runs a script on each connection.
  static func origin(
    script: @escaping @Sendable (Int) -> [OriginStep], name: String = "api.octetproof.com",
    receiveBuffer: Int? = nil
  ) throws -> ScriptedOrigin {
    try ScriptedOrigin(tls: try originTLS(name), receiveBuffer: receiveBuffer, script: script)
  }

  /// A client over TLS.
  func client(receiveBuffer: Int? = nil) throws -> RawClient {
    try RawClient(
      port: tlsPort, tls: ClientTLS(caFile: authority.caFile, serverName: "gw.test"),
      receiveBuffer: receiveBuffer)
  }

  /// A client in the clear.
  func plainClient(receiveBuffer: Int? = nil) throws -> RawClient {
    try RawClient(port: plainPort, receiveBuffer: receiveBuffer)
  }
}
