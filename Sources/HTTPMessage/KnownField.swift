/// The fields this gateway has a rule for. Every other name is `other` and passes as it came.
@usableFromInline package enum KnownField: UInt8, Equatable, Sendable {
  case other
  case altSvc, authorization, connection, contentLength, contentOther, contentType, cookie, date
  case expect, host, http2Settings, keepAlive, location, proxyAuthorization, proxyConnection
  case setCookie, te, trailer, transferEncoding, upgrade, xOctet

  /// Recognises a field name whatever its case. `content-*` and `x-octet-*` names without a case of
  /// their own become `contentOther` and `xOctet`.
  package init(_ name: Span<UInt8>) {
    self = KnownField.recognise(name)
  }

  private static func recognise(_ name: Span<UInt8>) -> KnownField {
    guard !name.isEmpty else { return .other }
    switch OctetClass.lowercased(name[0]) {
    case 0x61:  // a
      if name.equalsIgnoringCase("authorization") { return .authorization }
      return name.equalsIgnoringCase("alt-svc") ? .altSvc : .other
    case 0x63:  // c
      return recogniseC(name)
    case 0x64:  // d
      return name.equalsIgnoringCase("date") ? .date : .other
    case 0x65:  // e
      return name.equalsIgnoringCase("expect") ? .expect : .other
    case 0x68:  // h
      if name.equalsIgnoringCase("host") { return .host }
      return name.equalsIgnoringCase("http2-settings") ? .http2Settings : .other
    case 0x6B:  // k
      return name.equalsIgnoringCase("keep-alive") ? .keepAlive : .other
    case 0x6C:  // l
      return name.equalsIgnoringCase("location") ? .location : .other
    case 0x70:  // p
      if name.equalsIgnoringCase("proxy-connection") { return .proxyConnection }
      return name.equalsIgnoringCase("proxy-authorization") ? .proxyAuthorization : .other
    case 0x73:  // s
      let isCookie = name.equalsIgnoringCase("set-cookie") || name.equalsIgnoringCase("set-cookie2")
      return isCookie ? .setCookie : .other
    case 0x74:  // t
      if name.equalsIgnoringCase("te") { return .te }
      if name.equalsIgnoringCase("trailer") { return .trailer }
      return name.equalsIgnoringCase("transfer-encoding") ? .transferEncoding : .other
    case 0x75:  // u
      return name.equalsIgnoringCase("upgrade") ? .upgrade : .other
    case 0x78:  // x
      return isOctetFamily(name) ? .xOctet : .other
    default:
      return .other
    }
  }

  private static func recogniseC(_ name: Span<UInt8>) -> KnownField {
    switch name.count {
    case 6: return name.equalsIgnoringCase("cookie") ? .cookie : .other
    case 7: return name.equalsIgnoringCase("cookie2") ? .cookie : .other
    case 10 where name.equalsIgnoringCase("connection"): return .connection
    case 12 where name.equalsIgnoringCase("content-type"): return .contentType
    case 14 where name.equalsIgnoringCase("content-length"): return .contentLength
    default:
      guard name.count > 8 else { return .other }
      return name.extracting(first: 8).equalsIgnoringCase("content-") ? .contentOther : .other
    }
  }

  /// Names that begin with `x-octet` or `x_octet`: the vendor's own family, of which no name is public, so that
  /// `X-OctetProof-*` is counted in.
  private static func isOctetFamily(_ name: Span<UInt8>) -> Bool {
    guard name.count >= 7 else { return false }
    let separators = name[1] == 0x2D || name[1] == 0x5F
    let rest = name.extracting(2..<7).equalsIgnoringCase("octet")
    return separators && rest
  }
}
