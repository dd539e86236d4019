/// How a message's content is delimited. RFC 9112 section 6.3.
package enum BodyFraming: Equatable, Sendable {
  /// No content, and no field that says so.
  case none
  case length(UInt64)
  case chunked
  /// A response that ends with its connection.
  case untilClose
}

/// A request's control data and header section, octets as they came. RFC 9112 section 3.
package struct RequestHead: Equatable, Sendable {
  package var section = FieldSection()
  /// Ranges into `section.octets`.
  package var method: Range<Int> = 0..<0
  package var target: Range<Int> = 0..<0
  /// 0 or 1, of HTTP/1.x.
  package var minorVersion: UInt8 = 1
  package var framing: BodyFraming = .none
  /// Whether a Connection line or HTTP/1.0 asks to close after the response.
  package var wantsClose = false
  /// Whether a TE line has the member `trailers`.
  package var acceptsTrailers = false

  package init() {}

  package mutating func reset() {
    section.reset()
    method = 0..<0
    target = 0..<0
    minorVersion = 1
    framing = .none
    wantsClose = false
    acceptsTrailers = false
  }

  package func methodIs(_ name: StaticString) -> Bool {
    guard method.count == name.utf8CodeUnitCount else { return false }
    for (index, octet) in section.octets[method].enumerated() where octet != name.utf8Start[index] {
      return false
    }
    return true
  }

  /// Methods that may be repeated without harm. RFC 9110 section 9.2.2; a method we don't know isn't one.
  package var isIdempotent: Bool {
    methodIs("GET") || methodIs("HEAD") || methodIs("PUT") || methodIs("DELETE")
      || methodIs("OPTIONS")
  }
}

/// A response's control data and header section, octets as they came. RFC 9112 section 4.
package struct ResponseHead: Equatable, Sendable {
  package var section = FieldSection()
  package var status: Int = 0
  /// Where the status line's reason phrase stands; may be empty.
  package var reason: Range<Int> = 0..<0
  package var minorVersion: UInt8 = 1
  package var framing: BodyFraming = .none
  /// Whether the upstream will close after this response.
  package var wantsClose = false

  package init() {}

  package var isInterim: Bool { status < 200 }

  package mutating func reset() {
    section.reset()
    status = 0
    reason = 0..<0
    minorVersion = 1
    framing = .none
    wantsClose = false
  }
}
