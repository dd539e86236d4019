import ScriptedPeers
import Testing

/// Requests of the app as literal octets; `fields` are lines that each end in `⏎`.
enum Ask {
  static func get(_ path: String = "/v1/flags", _ fields: String = "", method: String = "GET") -> [UInt8] {
    octets("\(method) /octet\(path) HTTP/1.1⏎Host: gw.test⏎\(fields)⏎")
  }

  static func post(_ path: String = "/v1/proofs", _ fields: String = "", content: [UInt8]) -> [UInt8] {
    head(path, fields, length: content.count) + content
  }

  /// The head of a POST whose content the test sends itself.
  static func head(_ path: String = "/v1/proofs", _ fields: String = "", length: Int) -> [UInt8] {
    octets("POST /octet\(path) HTTP/1.1⏎Host: gw.test⏎Content-Length: \(length)⏎\(fields)⏎")
  }
}

/// An answer of the gateway's own, told apart from the upstream's by rule G1.
func expectOwnAnswer(
  _ response: RawResponse, _ status: Int, _ error: String? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(response.status == status, sourceLocation: sourceLocation)
  #expect(response.end == .complete, sourceLocation: sourceLocation)
  let mark = response.values("Proxy-Status")
  #expect(mark.count == 1 && mark[0].hasPrefix("octet-gateway; error="), sourceLocation: sourceLocation)
  if let error {
    #expect(
      mark.first?.hasPrefix("octet-gateway; error=\(error);") == true, "\(mark)",
      sourceLocation: sourceLocation)
  }
  #expect(response.values("Content-Type") == ["application/problem+json"], sourceLocation: sourceLocation)
  #expect(response.values("Retry-After").isEmpty, sourceLocation: sourceLocation)
}

/// Octets that are told from one another, for content of any length.
func pattern(_ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
}

/// Runs `body(0)` to `body(count - 1)`, each on a thread of its own, and waits for all of them.
func inParallel(
  _ count: Int, within duration: Duration = .seconds(20), _ body: @escaping @Sendable (Int) throws -> Void
) throws {
  let state = Monitor((done: 0, errors: [String]()))
  for number in 0..<count {
    onThread {
      let outcome = Result { try body(number) }
      state.change {
        $0.done += 1
        if case .failure(let error) = outcome { $0.errors.append("thread \(number): \(error)") }
      }
    }
  }
  let errors = state.wait(Deadline(within: duration)) { $0.done == count ? $0.errors : nil }
  #expect(try #require(errors, "threads still ran after \(duration)") == [])
}
