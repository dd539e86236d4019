/// Paths that stand in the file: the prefix, routes, and the path of an upstream.
enum PathSyntax {
  /// Empty, or starts with `/` and does not end in one (rule T1).
  static func checkPrefix(_ text: String) throws(ValueError) {
    if text.isEmpty { return }
    guard text.hasPrefix("/") else {
      throw ValueError("the prefix \(quoted(text)) does not start with /", "write it as \"/octet\"")
    }
    guard !text.hasSuffix("/") else {
      throw ValueError(
        "the prefix \(quoted(text)) ends in /", "leave the last / to the routes, as in \"/octet\"")
    }
    try checkSegments(text.dropFirst(), of: "the prefix \(quoted(text))", escapes: false)
  }

  /// Starts and ends with `/` (rule T1).
  static func checkRoute(_ text: String) throws(ValueError) {
    guard text.hasPrefix("/") else {
      throw ValueError("the route \(quoted(text)) does not start with /", "write it as \"/v1/\"")
    }
    guard text.hasSuffix("/") else {
      throw ValueError("the route \(quoted(text)) does not end in /", "write it as \"/v1/\"")
    }
    try checkInner(text, of: "the route \(quoted(text))", escapes: false)
  }

  /// Starts and ends with `/`; percent escapes stay as they are, unless they hide a dot segment (rule T3).
  static func checkUpstream(_ text: String) throws(ValueError) {
    guard text.hasPrefix("/"), text.hasSuffix("/") else {
      throw ValueError(
        "the upstream's path \(quoted(text)) does not end in /",
        "end it in /, for what follows the route's path is added to it")
    }
    try checkInner(text, of: "the upstream's path \(quoted(text))", escapes: true)
  }

  private static func checkInner(_ text: String, of what: String, escapes: Bool) throws(ValueError) {
    if text == "/" { return }
    try checkSegments(text.dropFirst().dropLast(), of: what, escapes: escapes)
  }

  private static func checkSegments(_ text: Substring, of what: String, escapes: Bool) throws(ValueError) {
    for octet in text.utf8 where !isAllowed(octet) && !(escapes && octet == UInt8(ascii: "%")) {
      throw ValueError(
        "\(what) contains \(name(of: octet))", "use letters, digits, / and any of -._~!$&'()*+,;=:@")
    }
    // A backslash is refused above; %2F and %5C are separators to an upstream that decodes them.
    for segment in try decodingDotsAndSlashes(text, of: what)
      .split(separator: "/", omittingEmptySubsequences: false)
    {
      if segment == "." || segment == ".." {
        throw ValueError("\(what) has the dot segment \(segment)", "write the path that is meant")
      }
      if segment.isEmpty {
        throw ValueError("\(what) has an empty segment", "write a single / between segments")
      }
    }
  }

  private static func isAllowed(_ octet: UInt8) -> Bool {
    octet.isLetterOrDigit || "/-._~!$&'()*+,;=:@".utf8.contains(octet)
  }

  private static func name(of octet: UInt8) -> String {
    switch octet {
    case 0x20: "a space"
    case 0x21...0x7E: "\(Character(UnicodeScalar(octet)))"
    case 0x80...: "a letter outside ASCII"
    default: "a control character"
    }
  }

  private static func decodingDotsAndSlashes(_ text: Substring, of what: String) throws(ValueError) -> String
  {
    var decoded: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let octet = rest.popFirst() {
      guard octet == UInt8(ascii: "%") else {
        decoded.append(octet)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, digits.allSatisfy(\.isLetterOrDigit),
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), value != 0
      else {
        throw ValueError(
          "\(what) has a malformed percent escape", "write % and two hexadecimal digits, not 00")
      }
      rest.removeFirst(2)
      switch value {
      case UInt8(ascii: "."): decoded.append(value)
      case UInt8(ascii: "/"), UInt8(ascii: "\\"): decoded.append(UInt8(ascii: "/"))
      default: decoded.append(UInt8(ascii: "%"))
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }
}
