/// The literal octets of a head, from the start line to the empty line, with the little parsing that peers need.
///
/// Lenient on purpose: a peer records what came, the tests judge it.
package struct WireHead: Equatable, Sendable {
  /// As they were on the wire, the last CRLF included.
  package let octets: [UInt8]

  /// Wraps `octets`; nothing is checked.
  package init(_ octets: [UInt8]) { self.octets = octets }

  /// The lines without their CRLF, the empty one left out.
  package var lines: [[UInt8]] {
    var lines: [[UInt8]] = []
    var start = 0
    while let end = Octets.find([0x0D, 0x0A], in: octets, from: start) {
      if end > start { lines.append(Array(octets[start..<end])) }
      start = end + 2
    }
    return lines
  }

  /// The request line or status line as text.
  package var startLine: String { lines.first.map { String(decoding: $0, as: UTF8.self) } ?? "" }

  /// The field lines as they came.
  package var fieldLines: [[UInt8]] { Array(lines.dropFirst()) }

  /// The values of all lines named `name`, in any case and in their order, white space around them cut.
  package func values(_ name: String) -> [String] {
    fieldLines.compactMap { line in
      guard let colon = line.firstIndex(of: 0x3A) else { return nil }
      let found = String(decoding: line[..<colon], as: UTF8.self)
      guard found.lowercased() == name.lowercased() else { return nil }
      var value = line[(colon + 1)...]
      while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
      while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
      return String(decoding: value, as: UTF8.self)
    }
  }

  /// The one value of `name`, or nil when there is none or more than one.
  package func value(_ name: String) -> String? {
    let found = values(name)
    return found.count == 1 ? found[0] : nil
  }

  /// The request's method; empty for a response.
  package var method: String { startLine.split(separator: " ").first.map(String.init) ?? "" }

  /// The request target as text.
  package var target: String {
    let parts = startLine.split(separator: " ", omittingEmptySubsequences: false)
    return parts.count > 2 ? parts[1..<(parts.count - 1)].joined(separator: " ") : ""
  }

  /// The response's status code; 0 when the start line is no status line.
  package var status: Int {
    let parts = startLine.split(separator: " ", maxSplits: 2)
    return parts.count > 1 && startLine.hasPrefix("HTTP/") ? Int(parts[1]) ?? 0 : 0
  }

  /// The response's reason phrase.
  package var reason: String {
    let parts = startLine.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count > 2 ? String(parts[2]) : ""
  }

  /// Whether the body is chunked.
  package var isChunked: Bool {
    values("Transfer-Encoding").contains { $0.lowercased().hasSuffix("chunked") }
  }

  /// The first Content-Length that is a number.
  package var contentLength: Int? { values("Content-Length").lazy.compactMap { Int($0) }.first }
}

/// A body as it came and what it carries.
package struct WireBody: Equatable, Sendable {
  /// The octets on the wire, chunk framing included.
  package var raw: [UInt8] = []
  /// The content without framing.
  package var content: [UInt8] = []
  /// The trailer section of a chunked body, without the final empty line.
  package var trailers: [UInt8] = []
  /// The sizes of the chunks in their order; empty unless chunked.
  package var chunkSizes: [Int] = []

  /// An empty body.
  package init() {}
}
