import ScriptedPeers
import Testing

@Suite("Peers over TLS")
struct TLSPeersTests {
  let authority: ThrowawayAuthority
  let certificate: IssuedCertificate
  var client: ClientTLS { ClientTLS(caFile: authority.caFile, serverName: "api.example.test") }
  let request = octets("GET / HTTP/1.1⏎Host: x⏎⏎")

  init() throws {
    authority = try ThrowawayAuthority()
    certificate = try authority.issue("api.example.test", "*.wild.test")
  }

  @Test("agree on a version and record the hello", arguments: TLSVersion.allCases)
  func versions(version: TLSVersion) throws {
    let origin = try ScriptedOrigin(tls: .only(version, certificate)) { _ in .ok(octets("x")) }
    var settings = client
    settings.minimum = .tls11
    settings.protocols = ["h2", "http/1.1"]
    let client = try RawClient(port: origin.port, tls: settings)
    #expect(try client.exchange(request).content == octets("x"))
    #expect(client.tlsVersion == version.rawValue)
    #expect(client.negotiatedProtocol == "http/1.1")
    client.close()
    let connection = try origin.waitForEnd(of: 0)
    #expect(connection.hello.serverName == "api.example.test")
    #expect(connection.hello.protocols == ["h2", "http/1.1"])
    #expect(connection.tlsVersion == version.rawValue)
    #expect(connection.negotiatedProtocol == "http/1.1")
    #expect(connection.octets == request)
    #expect(connection.end == .clean)
  }

  @Test("refuse versions they do not have")
  func noCommonVersion() throws {
    let origin = try ScriptedOrigin(tls: .only(.tls11, certificate)) { _ in .ok() }
    #expect(throws: PeerError.self) { try RawClient(port: origin.port, tls: client) }
    let log = try origin.wait("the failure") { $0.connections.first?.handshakeError != nil }
    #expect(log.requests.isEmpty)
  }

  @Test("tell close_notify from FIN from reset", arguments: [TLSVersion.tls12, .tls13])
  func ends(version: TLSVersion) throws {
    let cut = octets("HTTP/1.1 200 OK⏎⏎abc")
    let endings: [(OriginStep, ResponseEnd)] = [
      (.closeNotifyAndClose, .closedCleanly), (.closeAbruptly, .closedWithoutCloseNotify), (.reset, .reset),
    ]
    let origin = try ScriptedOrigin(
      tls: .only(version, certificate), script: { [.readRequest, .send(cut), endings[$0].0] })
    for (index, (_, end)) in endings.enumerated() {
      let client = try RawClient(port: origin.port, tls: client)
      let response = try client.exchange(request)
      #expect(response.end == end)
      #expect(response.isWhole == (index == 0))
      if index < 2 { #expect(response.content == octets("abc")) }
    }
  }

  @Test("tell how the client ended")
  func clientEnds() throws {
    let origin = try ScriptedOrigin(tls: OriginTLS(certificate)) { _ in .ok() }
    let ends: [ConnectionEnd] = [.clean, .withoutCloseNotify, .reset]
    for (index, end) in ends.enumerated() {
      let client = try RawClient(port: origin.port, tls: client)
      #expect(try client.exchange(request).status == 200)
      switch end {
      case .clean: client.halfClose()
      case .reset: client.reset()
      default: client.closeAbruptly()
      }
      #expect(try origin.waitForEnd(of: index).end == end)
    }
  }

  @Test("answer a client that has said its last word")
  func halfClosed() throws {
    let origin = try ScriptedOrigin(
      tls: OriginTLS(certificate),
      script: { _ in [.readRequest, .expectClientEnd, .send(octets("HTTP/1.1 204 ⏎⏎")), .closeNotifyAndClose]
      })
    let client = try RawClient(port: origin.port, tls: client)
    try client.send(request)
    client.sendCloseNotify()
    #expect(client.readResponse().status == 204)
  }

  @Test("do as the script says with handshakes")
  func handshakes() throws {
    for handshake in [OriginTLS.Handshake.refuse, .close, .silent] {
      let origin = try ScriptedOrigin(tls: OriginTLS(certificate, handshake: handshake)) { _ in .ok() }
      let limit = Duration.milliseconds(handshake == .silent ? 100 : 5000)
      do {
        _ = try RawClient(port: origin.port, tls: client, within: limit)
        Issue.record("\(handshake): no error")
      } catch let error as PeerError {
        switch (handshake, error) {
        case (.silent, .timedOut), (.close, .handshake): break
        case (.refuse, .handshake(let reason)): #expect(reason.contains("alert handshake failure"))
        default: Issue.record("\(handshake): \(error)")
        }
      }
      origin.stop()
    }
  }

  @Test("issue certificates that a client refuses for the right reason")
  func badCertificates() throws {
    let names = ["api.example.test"]
    let bad: [CertificateProfile] = [
      CertificateProfile(dnsNames: names, validity: .expired),
      CertificateProfile(dnsNames: names, validity: .notYetValid),
      CertificateProfile(dnsNames: names, isSelfSigned: true),
      CertificateProfile(dnsNames: ["other.example.test"]),
      CertificateProfile(dnsNames: ["*.test"]),
      CertificateProfile(addresses: ["127.0.0.1"]),
    ]
    for profile in bad {
      let origin = try ScriptedOrigin(tls: OriginTLS(authority.issue(profile))) { _ in .ok() }
      #expect(throws: PeerError.handshake("certificate verify failed"), "\(profile)") {
        try RawClient(port: origin.port, tls: client)
      }
      let log = try origin.wait("the failure") {
        $0.connections.first?.handshakeError != nil || !$0.failures.isEmpty
      }
      #expect(log.requests.isEmpty)
    }
  }

  @Test("accept RSA keys, wildcards and clients that check nothing")
  func goodCertificates() throws {
    let rsa = try authority.issue(
      CertificateProfile(dnsNames: ["*.wild.test"], commonName: "x", key: .rsa2048))
    let origin = try ScriptedOrigin(tls: OriginTLS(rsa)) { _ in .ok() }
    let named = ClientTLS(caFile: authority.caFile, serverName: "a.wild.test")
    #expect(try RawClient(port: origin.port, tls: named).exchange(request).status == 200)
    let careless = ClientTLS(caFile: nil, serverName: nil)
    #expect(try RawClient(port: origin.port, tls: careless).exchange(request).status == 200)
    #expect(try origin.waitForConnections(2)[1].hello.serverName == nil)
  }

  @Test("resume a session only with tickets on", arguments: [true, false])
  func resumption(tickets: Bool) throws {
    let origin = try ScriptedOrigin(tls: OriginTLS(certificate, sessionTickets: tickets)) { _ in .ok() }
    let first = try RawClient(port: origin.port, tls: client)
    _ = try first.exchange(request)
    var settings = client
    settings.session = first.session
    settings.earlyData = request
    let second = try RawClient(port: origin.port, tls: settings)
    #expect(try second.exchange(request).status == 200)
    #expect(second.isResumed == tickets)
    #expect(second.earlyData == .notAllowed)
  }

  @Test("refuse a renegotiation that the server does not allow")
  func renegotiation() throws {
    let origin = try ScriptedOrigin(tls: .only(.tls12, certificate)) { _ in .ok() }
    let client = try RawClient(port: origin.port, tls: client)
    #expect(try client.exchange(request).status == 200)
    #expect(throws: PeerError.self) { try client.renegotiate(within: .seconds(2)) }
  }
}
