import HTTPMessage

/// The field names that Connection lines nominate for removal. RFC 9110 section 7.6.1, rule F3.
///
/// All lines form one list. The options that need no removal of their own (`close`, `keep-alive`, and
/// names that are removed anyway) are left out, so that the usual message has an empty list.
struct ConnectionNominations {
  private(set) var names: [[UInt8]] = []

  /// More names than any client has fields for its connection; each is compared with each line.
  static let limit = 32

  var isEmpty: Bool { names.isEmpty }

  init(_ section: FieldSection) {
    guard section.hasConnection else { return }
    for line in section.lines where line.field == .connection {
      var found: [[UInt8]] = []
      section.forEachElement(of: line) { element in
        guard !ConnectionNominations.isRemovedAnyway(element) else { return }
        found.append(element.withUnsafeBufferPointer { Array($0) })
      }
      names.append(contentsOf: found)
    }
  }

  func contains(_ line: FieldLine, of section: FieldSection) -> Bool {
    let name = section.octets.span.extracting(Int(line.start)..<Int(line.nameEnd))
    return names.contains { $0.span.equalsIgnoringCase(name) }
  }

  /// Whether a nominated name is one that no sender may nominate: it would remove what the proof needs.
  var nominatesProtectedField: Bool {
    names.contains { name in
      switch KnownField(name.span) {
      case .authorization, .contentLength, .contentOther, .contentType, .host, .xOctet: true
      default: false
      }
    }
  }

  private static func isRemovedAnyway(_ element: Span<UInt8>) -> Bool {
    if element.equalsIgnoringCase("close") { return true }
    switch KnownField(element) {
    case .connection, .keepAlive, .proxyConnection, .te, .trailer, .upgrade, .http2Settings,
      .proxyAuthorization, .transferEncoding:
      return true
    default:
      return false
    }
  }
}
