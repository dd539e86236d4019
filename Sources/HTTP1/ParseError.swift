package import HTTPMessage

/// What is wrong with octets on an HTTP/1.1 connection, and where.
package struct ParseError: Error, Equatable, Sendable {
  package var reason: Reason
  /// Offset into the message section (head, chunk line or trailers) in which it was found; for people.
  package var offset: Int

  package init(_ reason: Reason, at offset: Int = 0) {
    self.reason = reason
    self.offset = offset
  }

  /// Equality looks at the reason alone: a message cut elsewhere fails for the same reason.
  package static func == (left: ParseError, right: ParseError) -> Bool {
    left.reason == right.reason
  }

  package enum Reason: Equatable, Sendable, CaseIterable {
    // Lines and fields.
    case bareLineFeed, controlOctet, foldedLine, spaceBeforeColon, missingColon, badFieldName
    case headTooLarge, tooManyFields
    // Start lines.
    case badRequestLine, badTarget, badVersion, badStatusLine
    // Framing.
    case missingHost, severalHosts, badContentLength, severalContentLengths, lengthWithTransferEncoding
    case badTransferEncoding, transferEncodingOnVersion10
    case badChunkSize, badChunkEnd, chunkExtensionTooLong, framingFieldInTrailers
    // Ends.
    case closedBeforeHead, closedInHead, closedInBody
    case switchingProtocols
  }
}

extension ParseError {
  /// The answer to a request that is malformed in this way.
  package var refusal: Refusal {
    switch reason {
    case .bareLineFeed: Refusal(400, "F6", "a line ends in LF alone; every line ends in CRLF")
    case .controlOctet:
      Refusal(400, "F6", "a control octet (bare CR, NUL or the like) stands in a line")
    case .foldedLine: Refusal(400, "F6", "a field line starts with white space (obsolete folding)")
    case .spaceBeforeColon: Refusal(400, "F6", "white space stands between a field name and its colon")
    case .missingColon: Refusal(400, "F6", "a field line has no colon")
    case .badFieldName: Refusal(400, "F6", "a field name is empty or not a token")
    case .headTooLarge: Refusal(431, "F6", "the request head is over request_head_limit")
    case .tooManyFields: Refusal(431, "F6", "the request has more field lines than request_field_limit")
    case .badRequestLine:
      Refusal(400, "F6", "the request line is not: method, one space, target, one space, version")
    case .badTarget:
      Refusal(400, "T3", "the request target holds a control octet, white space or '#'")
    case .badVersion: Refusal(400, "F6", "the version is not HTTP/1.0 or HTTP/1.1")
    case .missingHost: Refusal(400, "F6", "the request has no Host field")
    case .severalHosts: Refusal(400, "F6", "the request has more than one Host field")
    case .badContentLength: Refusal(400, "B3", "Content-Length is not a plain decimal number")
    case .severalContentLengths: Refusal(400, "B3", "the request has more than one Content-Length")
    case .lengthWithTransferEncoding:
      Refusal(400, "B3", "the request has both Content-Length and Transfer-Encoding")
    case .badTransferEncoding: Refusal(400, "B3", "Transfer-Encoding is not exactly one 'chunked'")
    case .transferEncodingOnVersion10: Refusal(400, "B3", "an HTTP/1.0 request has Transfer-Encoding")
    case .badChunkSize: Refusal(400, "B3", "a chunk size is not a plain hexadecimal number and CRLF")
    case .badChunkEnd: Refusal(400, "B3", "a chunk is not followed by CRLF")
    case .chunkExtensionTooLong: Refusal(400, "B3", "the chunk extensions are longer than 16 KiB")
    case .framingFieldInTrailers:
      Refusal(400, "B3", "a trailer section holds a framing, routing or connection field")
    case .closedBeforeHead, .closedInHead, .closedInBody:
      Refusal(400, "B5", "the connection ended before the request was complete")
    case .badStatusLine, .switchingProtocols:
      Refusal(400, "F6", "the octets are not a request")
    }
  }
}
