package import HTTPMessage

/// How a response's content is framed towards the client.
package enum ClientFraming: Equatable, Sendable {
  /// As the upstream declared it, or no content at all.
  case asDeclared
  /// The upstream's chunks, or a close-delimited body, go out as chunks of ours.
  case chunked
  /// To an HTTP/1.0 client: no framing field, the connection's end is the end.
  case untilClose
}

/// Writes the head that goes to the client: the upstream's octets but for hop-by-hop lines, Alt-Svc, and
/// Set-Cookie of a third party. Rules R1 to R4.
package struct ResponseFieldPolicy: Equatable, Sendable {
  package var passesAltSvc: Bool
  /// Whether a final head gets a Via line (rule F4).
  package var addsVia: Bool

  package init(passesAltSvc: Bool = false, addsVia: Bool = false) {
    self.passesAltSvc = passesAltSvc
    self.addsVia = addsVia
  }

  /// What depends on the exchange.
  package struct Context {
    package var isThirdParty: Bool
    package var framing: ClientFraming
    /// Whether our side will close after this response.
    package var closes: Bool

    package init(isThirdParty: Bool, framing: ClientFraming, closes: Bool) {
      self.isThirdParty = isThirdParty
      self.framing = framing
      self.closes = closes
    }
  }

  /// How `head`'s content goes to a client of HTTP/1.`clientMinorVersion`.
  package static func framing(_ head: ResponseHead, clientMinorVersion: UInt8) -> ClientFraming {
    switch head.framing {
    case .length: .asDeclared
    case .none: clientMinorVersion == 0 ? .untilClose : .asDeclared
    case .chunked, .untilClose: clientMinorVersion == 0 ? .untilClose : .chunked
    }
  }

  /// Appends a final head to `output`.
  /// - Parameter date: an IMF-fixdate, used only when the upstream sent no Date.
  package func write(
    _ head: ResponseHead, _ context: Context, date: [UInt8], into output: inout [UInt8]
  ) {
    let written = writeLines(head, context, into: &output)
    if context.framing == .chunked, !written.hasTransferEncoding {
      output.append(ascii: "Transfer-Encoding: chunked\r\n")
    }
    if !written.hasDate {
      output.append(ascii: "Date: ")
      output.append(contentsOf: date)
      output.append(ascii: "\r\n")
    }
    if addsVia { AddedFields.appendVia(receivedMinorVersion: head.minorVersion, &output) }
    if context.closes { output.append(ascii: "Connection: close\r\n") }
    output.append(ascii: "\r\n")
  }

  /// Appends an interim head; nothing is added to it. Rule R7.
  package func writeInterim(
    _ head: ResponseHead, isThirdParty: Bool, into output: inout [UInt8]
  ) {
    let context = Context(isThirdParty: isThirdParty, framing: .asDeclared, closes: false)
    _ = writeLines(head, context, into: &output)
    output.append(ascii: "\r\n")
  }

  /// The trailer section as lines and an empty one. What is removed from the head is removed from there too.
  package func writeTrailers(
    _ section: FieldSection, of head: ResponseHead, isThirdParty: Bool, into output: inout [UInt8]
  ) {
    let context = Context(isThirdParty: isThirdParty, framing: .chunked, closes: false)
    let nominations = ConnectionNominations(head.section)
    var run = LineRun()
    for line in section.lines {
      if keeps(line, of: section, head, context, nominations) {
        run.extend(line)
      } else {
        run.flush(section, into: &output)
      }
    }
    run.flush(section, into: &output)
    output.append(ascii: "\r\n")
  }

  private struct Written {
    var hasDate = false
    var hasTransferEncoding = false
  }

  private func writeLines(
    _ head: ResponseHead, _ context: Context, into output: inout [UInt8]
  ) -> Written {
    let section = head.section
    let nominations = ConnectionNominations(section)
    output.reserveCapacity(output.count + section.octets.count + 128)
    // The version is ours; status code, reason phrase and the space between them are the upstream's.
    output.append(ascii: "HTTP/1.1")
    let lineStart = Int(section.lines.first?.start ?? Int32(section.octets.count - 2))
    output.append(contentsOf: section.octets[8..<lineStart])
    var written = Written()
    var run = LineRun()
    for line in section.lines {
      if keeps(line, of: section, head, context, nominations) {
        if line.field == .date { written.hasDate = true }
        if line.field == .transferEncoding { written.hasTransferEncoding = true }
        run.extend(line)
      } else {
        run.flush(section, into: &output)
      }
    }
    run.flush(section, into: &output)
    return written
  }

  private func keeps(
    _ line: FieldLine, of section: FieldSection, _ head: ResponseHead, _ context: Context,
    _ nominations: ConnectionNominations
  ) -> Bool {
    switch line.field {
    case .connection, .keepAlive, .proxyConnection, .proxyAuthorization, .te, .trailer, .upgrade,
      .http2Settings:
      return false
    case .transferEncoding:
      return keepsTransferEncoding(head, context)
    case .altSvc:
      if !passesAltSvc { return false }
    case .setCookie:
      if context.isThirdParty { return false }
    case .contentLength, .contentOther, .contentType, .date, .host:
      return true
    case .authorization, .cookie, .expect, .location, .other, .xOctet:
      break
    }
    return nominations.isEmpty || !nominations.contains(line, of: section)
  }

  /// The upstream's own line stands where a chunked body follows, or would have followed a GET; never on
  /// 1xx and 204 (RFC 9112 section 6.1), nor to an HTTP/1.0 client.
  private func keepsTransferEncoding(_ head: ResponseHead, _ context: Context) -> Bool {
    if head.isInterim || head.status == 204 { return false }
    return context.framing != .untilClose
  }
}
