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
  /// What the method means to us; known as soon as the request line is.
  package var semantics = MethodSemantics()
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
    semantics = MethodSemantics()
    minorVersion = 1
    framing = .none
    wantsClose = false
    acceptsTrailers = false
  }

  /// Whether the message has octets behind its head.
  package var hasContent: Bool { framing != .none && framing != .length(0) }
}

/// What a method means to an intermediary. Methods are compared with their case. RFC 9110 section 9.
package struct MethodSemantics: Equatable, Sendable {
  /// May be repeated without harm (section 9.2.2); a method we don't know may not.
  package var isIdempotent = false
  package var isGet = false
  /// The response has no content.
  package var isHead = false
  /// CONNECT and TRACE are for proxies and debuggers, not for a gateway.
  package var isRefused = false
  package var isConnect = false

  package init() {}

  package init(_ method: Span<UInt8>) {
    switch method.count {
    case 3:
      isGet = method.equals("GET")
      isIdempotent = isGet || method.equals("PUT")
    case 4:
      isHead = method.equals("HEAD")
      isIdempotent = isHead
    case 5:
      isRefused = method.equals("TRACE")
    case 6:
      isIdempotent = method.equals("DELETE")
    case 7:
      isConnect = method.equals("CONNECT")
      isRefused = isConnect
      isIdempotent = method.equals("OPTIONS")
    default:
      break
    }
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
