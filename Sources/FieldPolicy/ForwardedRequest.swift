package import HTTPMessage

/// What an intermediary adds when it is asked to; all off by default (rule F4).
package struct AddedFields: Equatable, Sendable {
  package var via = false
  package var forwarded = false

  package init(via: Bool = false, forwarded: Bool = false) {
    self.via = via
    self.forwarded = forwarded
  }

  /// RFC 9110 section 7.6.3.
  static func appendVia(receivedMinorVersion: UInt8, _ output: inout [UInt8]) {
    output.append(
      ascii: receivedMinorVersion == 0 ? "Via: 1.0 octet-gateway\r\n" : "Via: 1.1 octet-gateway\r\n")
  }
}

/// Who the client is, for `Forwarded`. RFC 7239.
package struct ClientIdentity: Equatable, Sendable {
  /// An address literal; IPv6 without brackets.
  package var address: String
  package var isTLS: Bool

  package init(address: String, isTLS: Bool) {
    self.address = address
    self.isTLS = isTLS
  }
}

/// Writes the head that goes upstream: the client's octets but for the request line's target, Host,
/// and the lines of rule F3 (and X1 on third-party routes).
package struct RequestFieldPolicy: Equatable, Sendable {
  package var added: AddedFields

  package init(added: AddedFields = AddedFields()) {
    self.added = added
  }

  /// What stands in the request line and in Host.
  package struct Destination {
    /// Path and query are `pathPrefix` + `head.section.octets[tail]`.
    package var pathPrefix: [UInt8]
    package var tail: Range<Int>
    package var authority: [UInt8]
    package var isThirdParty: Bool

    package init(pathPrefix: [UInt8], tail: Range<Int>, authority: [UInt8], isThirdParty: Bool) {
      self.pathPrefix = pathPrefix
      self.tail = tail
      self.authority = authority
      self.isThirdParty = isThirdParty
    }
  }

  /// - Throws: 400 when Connection nominates a field that must arrive (rule F3).
  package func examine(_ head: RequestHead) throws(Refusal) {
    let nominations = ConnectionNominations(head.section)
    guard nominations.names.count <= ConnectionNominations.limit else {
      throw Refusal(400, "F3", "Connection names more than 32 fields")
    }
    guard nominations.isEmpty || !nominations.nominatesProtectedField else {
      throw Refusal(
        400, "F3", "Connection names Host, Authorization, X-Octet-* or a Content-* field, which must arrive")
    }
  }

  /// Appends a head that `examine` has passed, its empty line included, to `output`.
  package func write(
    _ head: RequestHead, to destination: Destination, client: ClientIdentity,
    into output: inout [UInt8]
  ) {
    let section = head.section
    let nominations = ConnectionNominations(section)
    output.reserveCapacity(output.count + section.octets.count + destination.pathPrefix.count + 64)
    output.append(contentsOf: section.octets[head.method])
    output.append(0x20)
    output.append(contentsOf: destination.pathPrefix)
    output.append(contentsOf: section.octets[destination.tail])
    output.append(ascii: " HTTP/1.1\r\n")
    var run = LineRun()
    var hasTrailersLine = false
    for line in section.lines {
      switch disposition(of: line, nominations, section, destination.isThirdParty) {
      case .keep:
        run.extend(line)
      case .drop:
        run.flush(section, into: &output)
      case .replaceHost:
        run.flush(section, into: &output)
        output.append(contentsOf: section.name(of: line))
        output.append(ascii: ": ")
        output.append(contentsOf: destination.authority)
        output.append(ascii: "\r\n")
      case .trailersOnly:
        run.flush(section, into: &output)
        if head.acceptsTrailers, !hasTrailersLine {
          hasTrailersLine = true
          output.append(contentsOf: section.name(of: line))
          output.append(ascii: ": trailers\r\n")
        }
      }
    }
    run.flush(section, into: &output)
    if added.via { AddedFields.appendVia(receivedMinorVersion: head.minorVersion, &output) }
    if added.forwarded, !destination.isThirdParty { appendForwarded(section, client, &output) }
    output.append(ascii: "\r\n")
  }

  /// The trailer section of a request, as lines and an empty one. What is removed from the head is removed from
  /// there too: hop-by-hop fields, those that Connection names (RFC 9110 section 7.6.1), a third party's secrets.
  package func writeTrailers(
    _ section: FieldSection, of head: RequestHead, isThirdParty: Bool, into output: inout [UInt8]
  ) {
    let nominations = ConnectionNominations(head.section)
    var run = LineRun()
    for line in section.lines {
      if disposition(of: line, nominations, section, isThirdParty) == .keep {
        run.extend(line)
      } else {
        run.flush(section, into: &output)
      }
    }
    run.flush(section, into: &output)
    output.append(ascii: "\r\n")
  }

  private enum Disposition {
    case keep, drop, replaceHost, trailersOnly
  }

  private func disposition(
    of line: FieldLine, _ nominations: ConnectionNominations, _ section: FieldSection,
    _ isThirdParty: Bool
  ) -> Disposition {
    switch line.field {
    case .host:
      return .replaceHost
    case .te:
      return .trailersOnly
    case .connection, .keepAlive, .proxyConnection, .proxyAuthorization, .trailer, .upgrade,
      .http2Settings:
      return .drop
    case .authorization, .cookie, .xOctet:
      if isThirdParty { return .drop }
    case .transferEncoding:
      return .keep  // Exactly one `chunked`, or the parser had refused it.
    case .altSvc, .contentLength, .contentOther, .contentType, .date, .expect, .location, .other,
      .setCookie:
      break
    }
    if !nominations.isEmpty, nominations.contains(line, of: section) { return .drop }
    return .keep
  }

  private func appendForwarded(
    _ section: FieldSection, _ client: ClientIdentity, _ output: inout [UInt8]
  ) {
    let isIPv6 = client.address.utf8.contains(0x3A)
    output.append(ascii: "Forwarded: for=")
    output.append(contentsOf: (isIPv6 ? "\"[\(client.address)]\"" : client.address).utf8)
    output.append(contentsOf: (client.isTLS ? ";proto=https" : ";proto=http").utf8)
    if let host = section.first(.host) {
      output.append(ascii: ";host=\"")
      output.append(contentsOf: section.value(of: host))
      output.append(ascii: "\"")
    }
    output.append(ascii: "\r\n")
  }
}
