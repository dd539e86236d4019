import GatewayConfig
import ScriptedPeers
import Testing

/// A row of a table: a request, and what must reach the upstream, both as literal octets (see `octets(_:)`).
struct ForwardCase: Sendable, CustomTestStringConvertible {
  /// The report or rule it stems from, and what is special.
  let id: String
  let request: String
  let upstream: String

  init(_ id: String, _ request: String, upstream: String) {
    self.id = id
    self.request = request
    self.upstream = upstream
  }

  /// A GET whose target is `/octet/v1/` and `tail`; `/v1/` and `tail` must reach the upstream.
  static func tail(_ id: String, _ tail: String) -> ForwardCase {
    ForwardCase(
      id, "GET /octet/v1/\(tail) HTTP/1.1⏎Host: gw.test⏎⏎",
      upstream: "GET /v1/\(tail) HTTP/1.1⏎Host: api.octetproof.com⏎⏎")
  }

  /// A GET with these field lines, which must all arrive as they are behind Host.
  static func fields(_ id: String, _ lines: String) -> ForwardCase {
    .fields(id, lines, upstream: lines)
  }

  /// A GET with these field lines and what of them must arrive.
  static func fields(_ id: String, _ lines: String, upstream: String) -> ForwardCase {
    ForwardCase(
      id, "GET /octet/v1/flags HTTP/1.1⏎Host: gw.test⏎\(lines)⏎",
      upstream: "GET /v1/flags HTTP/1.1⏎Host: api.octetproof.com⏎\(upstream)⏎")
  }

  var testDescription: String { id }

  /// Sends it through a gateway and compares what the upstream got.
  func check(_ configure: (inout Configuration) -> Void = { _ in }) throws {
    let log = try withGateway(configure) { gateway, _ in
      let response = try gateway.client().exchange(octets(request))
      #expect(response.status == 200)
      #expect(response.isWhole)
    }
    #expect(log.requests.count == 1)
    expectEqual(log.requests.first?.octets ?? [], octets(upstream))
  }
}

/// A row of a table: a request that must be refused, and how.
struct RefusalCase: Sendable, CustomTestStringConvertible {
  let id: String
  let request: String
  let status: Int
  /// The contract's rule that the answer must name.
  let rule: String
  /// Whether the request was whole, so that the connection may serve the next one.
  var keepsConnection = false

  init(_ id: String, _ request: String, _ status: Int, _ rule: String, keepsConnection: Bool = false) {
    self.id = id
    self.request = request
    self.status = status
    self.rule = rule
    self.keepsConnection = keepsConnection
  }

  /// A GET of this target, refused with 400.
  static func target(_ id: String, _ target: String, _ rule: String = "T3") -> RefusalCase {
    RefusalCase(id, "GET \(target) HTTP/1.1⏎Host: gw.test⏎⏎", 400, rule)
  }

  /// A POST with these field lines and what follows them, refused with 400.
  static func post(_ id: String, _ lines: String, _ content: String = "", _ rule: String = "F6")
    -> RefusalCase
  {
    RefusalCase(id, "POST /octet/v1/metrics HTTP/1.1⏎Host: gw.test⏎\(lines)⏎\(content)", 400, rule)
  }

  var testDescription: String { id }

  /// Sends it with a good request right behind, in one write. The upstream must get no octet of the refused one, and
  /// the other is served only behind a whole request.
  func check(
    inPiecesOf size: Int = .max, _ configure: (inout Configuration) -> Void = { _ in }
  ) throws {
    let sent = octets(request) + octets("GET /octet/v1/behind HTTP/1.1⏎Host: gw.test⏎⏎")
    let log = try withGateway(configure) { gateway, _ in
      let client = try gateway.client()
      try client.send(sent, inPiecesOf: size)
      expectRefused(client.readResponse(to: WireHead(octets(request)).method), status, rule)
      if keepsConnection {
        #expect(client.readResponse().status == 200)
      } else {
        let rest = try client.readAll()
        #expect(rest.octets.isEmpty)
        #expect(rest.end == .clean)
      }
    }
    let expected = keepsConnection ? "GET /v1/behind HTTP/1.1⏎Host: api.octetproof.com⏎⏎" : ""
    expectEqual(log.connections.flatMap(\.octets), octets(expected))
  }
}

/// Runs `body` with an origin and a gateway before it, then stops both.
///
/// - Returns: what the origin had seen when the gateway was gone, so that "nothing" is final.
@discardableResult
func withGateway(
  _ configure: (inout Configuration) -> Void = { _ in },
  _ body: (GatewayUnderTest, ScriptedOrigin) throws -> Void
) throws -> OriginLog {
  try run(GatewayUnderTest.origin(), configure, body)
}

/// The same with an origin that gives its own answers.
@discardableResult
func withAnswers(
  _ respond: @escaping @Sendable (RecordedRequest) -> ScriptedResponse,
  _ body: (GatewayUnderTest, ScriptedOrigin) throws -> Void
) throws -> OriginLog {
  try run(GatewayUnderTest.origin("api.octetproof.com", respond), { _ in }, body)
}

/// The same with an origin that runs a script on each connection.
@discardableResult
func withGateway(
  script: [OriginStep], _ configure: (inout Configuration) -> Void = { _ in },
  _ body: (GatewayUnderTest, ScriptedOrigin) throws -> Void
) throws -> OriginLog {
  try run(GatewayUnderTest.origin(script: { _ in script }), configure, body)
}

private func run(
  _ api: ScriptedOrigin, _ configure: (inout Configuration) -> Void,
  _ body: (GatewayUnderTest, ScriptedOrigin) throws -> Void
) throws -> OriginLog {
  defer { api.stop() }
  let gateway = try GatewayUnderTest(api: api, configure)
  do {
    try body(gateway, api)
  } catch {
    gateway.stop()
    throw error
  }
  gateway.stop()
  return try api.wait("the end of all connections") { $0.connections.allSatisfy(\.isFinished) }
}

/// An answer of the gateway's own that names its rule. Rule G1.
func expectRefused(
  _ response: RawResponse, _ status: Int, _ rule: String, location: SourceLocation = #_sourceLocation
) {
  #expect(response.status == status, sourceLocation: location)
  #expect(response.end == .complete, sourceLocation: location)
  #expect(response.values("Content-Type") == ["application/problem+json"], sourceLocation: location)
  #expect(response.values("Proxy-Status").count == 1, sourceLocation: location)
  #expect(response.values("Retry-After").isEmpty, sourceLocation: location)
  let content = String(decoding: response.content, as: UTF8.self)
  #expect(content.contains(#""rule":"\#(rule)""#), sourceLocation: location)
}

/// Compares octets and shows where they part.
func expectEqual(_ actual: [UInt8], _ expected: [UInt8], location: SourceLocation = #_sourceLocation) {
  if actual == expected { return }
  Issue.record("\(Octets.difference(expected: expected, actual: actual) ?? "")", sourceLocation: location)
}

/// `count` octets without a period that a block size could hide; at most 2 MiB.
func content(_ count: Int) -> [UInt8] { Array(noise.prefix(count)) }

private let noise: [UInt8] = {
  var octets = [UInt8](repeating: 0, count: 2_097_152)
  var state: UInt32 = 1
  var index = 0
  while index < octets.count {
    state = state &* 1_664_525 &+ 1_013_904_223
    octets[index] = UInt8(truncatingIfNeeded: state >> 24)
    index += 1
  }
  return octets
}()

/// `content` as a chunked body, in chunks of `size`.
func chunked(_ content: [UInt8], by size: Int, trailers: String = "") -> [UInt8] {
  var body: [UInt8] = []
  for start in stride(from: 0, to: content.count, by: size) {
    let chunk = content[start..<min(content.count, start + size)]
    body += Array(String(chunk.count, radix: 16).utf8) + [0x0D, 0x0A] + chunk + [0x0D, 0x0A]
  }
  return body + octets("0⏎\(trailers)⏎")
}

extension Tag {
  /// Rows of the public reports about paths, queries, fields and so on.
  @Tag static var report: Tag
}

func expectStatus(_ response: RawResponse, _ status: Int, location: SourceLocation = #_sourceLocation) {
  #expect(response.status == status, sourceLocation: location)
}
