import HTTPMessage
import Routing
import Testing

@Suite("Host, absolute-form and refused methods (rule T4; RFC 9112 section 3.2)")
struct NameTests {
  let anyName = RouteTable(routes: [route("/octet/v1/", to: "/v1/")])
  let named = RouteTable(
    routes: [route("/octet/v1/", to: "/v1/")],
    serverNames: [
      Authority(host: Array("gw.test".utf8), port: nil), Authority(host: Array("p.test".utf8), port: 8443),
      Authority(host: Array("[::1]".utf8), port: nil),
    ])

  @Test("answers CONNECT and TRACE with 405, in this case only")
  func methods() {
    #expect(outcome(anyName, "gw.test:443", method: "CONNECT") == "405 T4")
    #expect(outcome(anyName, "/octet/v1/x", method: "TRACE") == "405 T4")
    #expect(outcome(anyName, "/octet/v1/x", method: "trace") == "/v1/x")
    #expect(outcome(anyName, "/octet/v1/x", method: "CONNECTS") == "/v1/x")
  }

  @Test(
    "refuses every other form with 400",
    arguments: [
      "*", "gw.test:443", "octet/v1/x", "ftp://gw.test/octet/v1/x", "http:/octet/v1/x", "http://", "https://",
      "https:///x",
      "http://u@gw.test/octet/v1/x", "http://gw.test:x/octet/v1/", "\\octet\\v1\\", "%2Foctet/v1/x",
    ])
  func forms(target: String) {
    #expect(outcome(named, target) == "400 T4")
    #expect(outcome(anyName, target) == "400 T4")
  }

  @Test("takes absolute-form for its own names alone")
  func absoluteForm() {
    #expect(outcome(named, "http://gw.test/octet/v1/x?y") == "/v1/x?y")
    #expect(outcome(named, "HTTPS://GW.TEST:9/octet/v1/x") == "/v1/x")
    #expect(outcome(named, "https://[::1]:9/octet/v1/") == "/v1/")
    #expect(outcome(named, "http://gw.test") == "404 T1")
    #expect(outcome(named, "http://gw.test?/octet/v1/x") == "404 T1")
    #expect(outcome(named, "http://gw.test/octet/v1/../x") == "400 T3")
    #expect(outcome(named, "http://169.254.169.254/octet/v1/x") == "421 T4")
    #expect(outcome(named, "http://gw.test.evil.test/octet/v1/x") == "421 T4")
    #expect(outcome(named, "http://gw.test/octet/v1/x", host: "evil.test") == "421 T4")
    #expect(outcome(anyName, "http://gw.test/octet/v1/x") == "400 T4")
  }

  @Test("serves Host for its own names, on any port where none is set")
  func hosts() {
    for host in [
      "gw.test", "GW.TEST", "gw.test:", "gw.test:443", "gw.test:8080", "[::1]", "[::1]:1", "p.test:8443",
    ] {
      #expect(outcome(named, "/octet/v1/x", host: host) == "/v1/x", "\(host)")
    }
    for host in ["p.test", "p.test:443", "gw.test.", "xgw.test", "gw.tes", "127.0.0.1", "[::2]"] {
      #expect(outcome(named, "/octet/v1/x", host: host) == "421 T4", "\(host)")
      #expect(outcome(anyName, "/octet/v1/x", host: host) == "/v1/x", "\(host)")
    }
  }

  @Test(
    "refuses a Host that is no host (X09)",
    arguments: ["", "gw.test, x", "a@gw.test", "gw.test/octet", "gw.test:99999", "gw test", "[::1"])
  func badHosts(host: String) {
    #expect(outcome(named, "/octet/v1/x", host: host) == "400 F6")
    #expect(outcome(anyName, "/octet/v1/x", host: host) == "400 F6")
  }
}
