import ScriptedPeers

/// Where a call goes: the gateway's route table as the demo expects it.
typealias DemoRoute = ExpectedRoute

extension ExpectedRoute {
  /// The vendor's routes; the gateway's configuration is written from the same table.
  static let all = [
    DemoRoute(path: "/v1/", upstreamHost: "api.octetproof.com", upstreamPath: "/v1/", isThirdParty: false),
    DemoRoute(
      path: "/ext/geo/", upstreamHost: "api.octetproof.com", upstreamPath: "/ext/geo/", isThirdParty: false),
    DemoRoute(
      path: "/ext/gnss/", upstreamHost: "cddis.nasa.gov", upstreamPath: "/archive/gnss/data/daily/",
      isThirdParty: true),
  ]

  /// The route for a path; nil when there is none.
  static func matching(_ path: String) -> DemoRoute? { all.first { path.hasPrefix($0.path) } }
}

/// One call of the modelled session, as data.
struct DemoCall: Sendable {
  /// What is known about the shape of the call.
  enum Evidence: String, Sendable {
    /// Everything in it is in the vendor's documents or published code; values are placeholders.
    case attested = "attested shape"
    /// Some part is our invention, and named so that it shows.
    case synthetic = "synthetic shape"
  }

  /// The content of a request and how it is framed.
  enum Content: Sendable {
    /// Neither content nor a length.
    case none
    case length([UInt8])
    /// Chunks of at most so many octets.
    case chunked([UInt8], size: Int)
  }

  /// The prefix that the gateway cuts.
  static let prefix = "/octet"
  /// The name the client connects to.
  static let gatewayHost = "gw.test"

  let name: String
  let evidence: Evidence
  let method: String
  /// After the prefix, query included.
  let path: String
  /// Lines after Host, without CRLF.
  var fields: [String] = []
  var content = Content.none
  /// What the upstream answers, literally.
  let answer: [UInt8]
  /// The content carries a signed proof.
  var carriesProof = false

  /// The head as the client writes it.
  var head: [UInt8] {
    var lines = ["\(method) \(DemoCall.prefix)\(path) HTTP/1.1", "Host: \(DemoCall.gatewayHost)"] + fields
    switch content {
    case .none: break
    case .length(let octets): lines.append("Content-Length: \(octets.count)")
    case .chunked: lines.append("Transfer-Encoding: chunked")
    }
    return Array((lines + ["", ""]).joined(separator: "\r\n").utf8)
  }

  /// The content without framing.
  var contentOctets: [UInt8] {
    switch content {
    case .none: []
    case .length(let octets), .chunked(let octets, size: _): octets
    }
  }

  /// The body as the client writes it.
  var body: [UInt8] {
    guard case .chunked(let octets, let size) = content else { return contentOctets }
    var result: [UInt8] = []
    for start in stride(from: 0, to: octets.count, by: size) {
      let chunk = octets[start..<min(octets.count, start + size)]
      result += Array((String(chunk.count, radix: 16) + "\r\n").utf8) + chunk + [0x0D, 0x0A]
    }
    return result + Array("0\r\n\r\n".utf8)
  }

  /// The route it takes.
  var route: DemoRoute? { DemoRoute.matching(path) }

  /// The request target at the upstream.
  var upstreamTarget: String {
    guard let route else { return path }
    return route.upstreamPath + path.dropFirst(route.path.count)
  }
}
