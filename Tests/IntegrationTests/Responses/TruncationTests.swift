import ScriptedPeers
import Testing

@Suite("R5: a response that the upstream cuts")
struct TruncationTests {
  enum Cut: CaseIterable {
    case close, closeWithoutNotify, reset

    var step: OriginStep {
      switch self {
      case .close: .closeNotifyAndClose
      case .closeWithoutNotify: .closeAbruptly
      case .reset: .reset
      }
    }
  }

  private static let beginnings = [
    "HTTP/1.1 200 OK⏎Content-Length: 100⏎⏎" + String(repeating: "a", count: 40),
    "HTTP/1.1 413 Content Too Large⏎Content-Length: 9⏎⏎",
    "HTTP/1.1 200 OK⏎Transfer-Encoding: chunked⏎⏎28⏎" + String(repeating: "a", count: 40) + "⏎",
    "HTTP/1.1 200 OK⏎Transfer-Encoding: chunked⏎⏎28⏎aaaa",
    "HTTP/1.1 200 OK⏎Transfer-Encoding: chunked⏎⏎4⏎aaaa⏎0⏎",
    "HTTP/1.1 200 OK⏎Transfer-Encoding: chunked⏎⏎",
  ]

  @Test("never looks whole, and its head is not lost (T01, T03)", arguments: beginnings, Cut.allCases)
  func cut(_ text: String, _ cut: Cut) throws {
    let api = try GatewayUnderTest.origin { _ in
      ScriptedResponse([.send(octets(text)), .waitForSignal("cut"), cut.step])
    }
    let gateway = try GatewayUnderTest(api: api)
    let status = WireHead(octets(text)).status
    let clients = [try gateway.client(), try gateway.plainClient()]
    for client in clients { try client.send(Ask.get()) }
    let heads = try clients.map { try $0.readSome(12) }
    api.signal("cut")
    for (client, head) in zip(clients, heads) {
      #expect(head == octets("HTTP/1.1 \(status)"))
      let rest = try client.readAll()
      // Over TLS an end without close_notify; in the clear the framing tells.
      #expect(rest.end != .open)
      let all = client.received
      #expect(!Octets.text(all).contains("502"))
      #expect(!all.suffix(5).elementsEqual(octets("0⏎⏎")))
      let shown = all.filter { $0 == UInt8(ascii: "a") }.count
      if cut != .reset { #expect(shown >= text.filter { $0 == "a" }.count) }
    }
    #expect(try clients[0].readAll().end != .clean)
  }

  @Test("and that lasts until the end of the connection is aborted without close_notify")
  func closeDelimited() throws {
    let api = try GatewayUnderTest.origin { _ in
      ScriptedResponse([.send(octets("HTTP/1.1 200 OK⏎⏎half")), .closeAbruptly])
    }
    let gateway = try GatewayUnderTest(api: api)
    for client in [try gateway.client(), try gateway.plainClient()] {
      let response = try client.exchange(Ask.get())
      #expect(response.status == 200)
      #expect(!response.isWhole)
    }
  }

  @Test("and goes to an HTTP/1.0 client without framing ends in a reset")
  func oldClient() throws {
    let api = try GatewayUnderTest.origin { _ in
      ScriptedResponse([
        .send(octets("HTTP/1.1 200 OK⏎Transfer-Encoding: chunked⏎⏎4⏎half⏎")), .waitForSignal("cut"),
        .closeNotifyAndClose,
      ])
    }
    let gateway = try GatewayUnderTest(api: api)
    let clients = [try gateway.client(), try gateway.plainClient()]
    for client in clients {
      try client.send(octets("GET /octet/v1/flags HTTP/1.0⏎Host: gw.test⏎⏎"))
      _ = try client.readSome(1)
    }
    api.signal("cut")
    for client in clients { #expect(try client.readAll().end == .reset) }
  }

  @Test("with a proper end where it may end is whole")
  func properEnd() throws {
    let api = try GatewayUnderTest.origin { _ in
      ScriptedResponse([.send(octets("HTTP/1.1 200 OK⏎⏎whole")), .closeNotifyAndClose])
    }
    let response = try GatewayUnderTest(api: api).client().exchange(Ask.get())
    #expect(response.end == .complete)
    #expect(response.values("Transfer-Encoding") == ["chunked"])
    #expect(response.content == octets("whole"))
  }

  @Test(
    "in its head is answered with 502", arguments: ["HTT", "HTTP/1.1 200 OK⏎", "HTTP/1.1 200 OK⏎Content-Le"])
  func head(_ text: String) throws {
    let api = try GatewayUnderTest.origin { _ in
      ScriptedResponse([.send(octets(text)), .closeNotifyAndClose])
    }
    let response = try GatewayUnderTest(api: api).client().exchange(Ask.get())
    expectOwnAnswer(response, 502, "http_response_incomplete")
    #expect(api.requests.count == 1)
  }
}
