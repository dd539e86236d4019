import ProofMaker
import ScriptedPeers

/// The modelled SDK session: what is publicly known of the traffic, and visibly invented names for the rest.
enum DemoSession {
  private static let bearer = "Authorization: Bearer octet-synthetic-activation-bearer"
  private static let upload = "Authorization: Bearer pup_v1.octet-synthetic"
  private static let json = "Content-Type: application/json"
  private static let nonce = Array("octet-synthetic-nonce".utf8)

  /// All calls in their order; the proofs are made and signed anew.
  static func calls() throws -> [DemoCall] {
    activation() + [flags(), observe(), geo(), gnss()] + tokens() + (try uploads()) + background()
      + verifier()
  }

  private static func activation() -> [DemoCall] {
    [
      DemoCall(
        name: "activation, challenge", evidence: .synthetic, method: "POST", path: "/v1/bootstrap/challenge",
        fields: [json, "X-Octet-Synthetic-1: 3.0.0", "x-octet-synthetic-1: 3.0.0", "Connection: keep-alive"],
        content: .length(octets(#"{"synthetic_1": "x"}␊"#)),
        answer: answer(200, octets(#"{"synthetic_nonce":"bm9uY2U"}"#))),
      DemoCall(
        name: "activation", evidence: .synthetic, method: "POST", path: "/v1/bootstrap",
        fields: [
          json, "X-Octet-Synthetic-1: 3.0.0", "X-Octet-Synthetic-2:", "X_Octet.Synthetic_3:  two  words ",
          "Keep-Alive: timeout=5", "Connection: synthetic-hop, Keep-Alive",
          "Synthetic-Hop: 1",
        ],
        // White space, a doubled key, an escape and octets that are no UTF-8: a JSON library would lose each.
        content: .length(
          octets(#"{ "synthetic_1" : 1e3,⇥"synthetic_1":1000, "u":"\x5Cu002f", "b":"\xFF\xFE" }⏎"#)),
        answer: answer(200, octets(#"{"synthetic_lease":"octet-synthetic-activation-bearer"}␊"#))),
    ]
  }

  private static func flags() -> DemoCall {
    // Signed by the server: content coding and octets must not be touched. Not valid gzip on purpose.
    DemoCall(
      name: "flags", evidence: .synthetic, method: "GET", path: "/v1/flags?",
      fields: [bearer, "Accept-Encoding: gzip"],
      answer: answer(
        200, [0x1F, 0x8B] + (0...255).map { UInt8($0) },
        fields: ["Content-Encoding: gzip", "ETag: \"octet-synthetic\"", "Alt-Svc: h3=\":443\""]))
  }

  private static func observe() -> DemoCall {
    DemoCall(
      name: "network/observe", evidence: .synthetic, method: "GET", path: "/v1/network/observe",
      fields: [bearer],
      answer: octets("HTTP/1.1 204 No Content⏎Date: \(date)⏎⏎"))
  }

  private static func geo() -> DemoCall {
    DemoCall(
      name: "geo look-up", evidence: .synthetic, method: "GET",
      path: "/ext/geo/reverse?synthetic_lat=48.2082&synthetic_lon=16.3738&synthetic_e=%2F%7e+;",
      fields: [bearer],
      answer: octets("HTTP/1.1 200 OK⏎Date: \(date)⏎Transfer-Encoding: chunked⏎⏎5⏎{\"syn⏎b⏎thetic\":1}␊⏎0⏎⏎"))
  }

  private static func gnss() -> DemoCall {
    DemoCall(
      name: "gnss download, a third party", evidence: .synthetic, method: "GET",
      path: "/ext/gnss/2026/365/26p/octet-synthetic.gz",
      fields: [bearer, "Cookie: synthetic=1", "X-Octet-Synthetic-1: 3.0.0", "Accept: */*"],
      answer: answer(
        200, (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) },
        fields: ["Content-Type: application/gzip", "Set-Cookie: ProxyCookie=synthetic; domain=.nasa.gov"]))
  }

  private static func tokens() -> [DemoCall] {
    [
      DemoCall(
        name: "proof token, POST with neither content nor length", evidence: .attested, method: "POST",
        path: "/v1/proofs/auth", fields: [bearer],
        answer: answer(
          200, octets(#"{"proof_upload_token":"pup_v1.octet-synthetic","expires_at":"2027-01-01T00:00:00Z"}"#)
        )),
      DemoCall(
        name: "upload challenge", evidence: .synthetic, method: "POST", path: "/v1/proofs/challenge",
        fields: [upload, "Content-Length: 0"],
        answer: answer(200, octets(#"{"synthetic_upload_nonce":"\#(Base64URL.encode(nonce))"}"#))),
    ]
  }

  private static func uploads() throws -> [DemoCall] {
    var calls: [DemoCall] = []
    for platform in ProofPlatform.allCases {
      var maker = ProofMaker(platform: platform)
      maker.uploadNonce = nonce
      calls.append(try self.upload("proof upload, \(platform.rawValue)", maker.make()))
    }
    var maker = ProofMaker(platform: .android)
    maker.uploadNonce = nonce
    guard let large = maker.make(count: 262_144) else { preconditionFailure("no proof of 256 KiB") }
    calls.append(try self.upload("proof upload, 256 KiB", large))
    return calls
  }

  private static func upload(_ name: String, _ proof: [UInt8]) throws -> DemoCall {
    DemoCall(
      name: name, evidence: .synthetic, method: "POST", path: "/v1/proofs", fields: [upload, json],
      content: .length(try UploadEnvelope(proof, uploadNonce: nonce).octets),
      answer: answer(201, octets(#"{"synthetic":"stored"}"#), reason: "Created"), carriesProof: true)
  }

  private static func background() -> [DemoCall] {
    let problem = octets(
      #"{"type":"https://octetproof.com/problems/synthetic","status":429,"detail":"slow down"}"#)
    return [
      DemoCall(
        name: "heartbeat", evidence: .synthetic, method: "POST", path: "/v1/heartbeat",
        fields: [bearer, json],
        content: .length(octets("{}")), answer: answer(200, octets(#"{"synthetic_lease":1}"#))),
      DemoCall(
        name: "usage record", evidence: .synthetic, method: "POST", path: "/v1/credits/synthetic-1",
        fields: [bearer, json], content: .length(octets(#"{"synthetic_operation":"device_active"}"#)),
        answer: answer(202, [], reason: "")),
      DemoCall(
        name: "metrics, chunked, answered 429", evidence: .synthetic, method: "POST", path: "/v1/metrics",
        fields: [bearer, json],
        content: .chunked(octets(#"{"synthetic_counts":[1,2,3]}"#), size: 10),
        answer: answer(
          429, problem, reason: "Too Many Requests",
          fields: ["Retry-After: 37", "Content-Type: application/problem+json"])),
    ]
  }

  private static func verifier() -> [DemoCall] {
    [
      DemoCall(
        name: "verifier, list of proofs", evidence: .attested, method: "GET",
        path: "/v1/proofs?limit=100&since=2026-12-31T00%3A00%3A00Z&cursor=a%2Bb%2Fc%3D", fields: [upload],
        answer: answer(200, octets(#"{"proofs":[],"next_cursor":null}"#))),
      DemoCall(
        name: "verifier, one proof, not found", evidence: .attested, method: "GET", path: "/v1/proofs/lp:1",
        fields: [upload],
        answer: answer(
          404, octets(#"{"type":"about:blank","title":"Not Found","status":404,"detail":"synthetic"}"#),
          reason: "Not Found")),
    ]
  }

  private static let date = "Thu, 31 Dec 2026 00:00:00 GMT"

  private static func answer(
    _ status: Int, _ content: [UInt8], reason: String = "OK", fields: [String] = []
  ) -> [UInt8] {
    let lines =
      ["HTTP/1.1 \(status) \(reason)", "Date: \(date)", "Server: octet-synthetic"] + fields
      + ["Content-Length: \(content.count)", "", ""]
    return Array(lines.joined(separator: "\r\n").utf8) + content
  }
}
