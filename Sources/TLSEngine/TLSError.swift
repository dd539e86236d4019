import COpenSSL

/// What OpenSSL or a certificate file had to say against us.
package struct TLSError: Error, Equatable, Sendable {
  package enum Code: Equatable, Sendable {
    case certificateUnreadable, keyUnreadable, keyDoesNotMatch, authoritiesUnreadable, contextFailed
  }

  package let code: Code
  /// For people: OpenSSL's own reasons, the oldest first.
  package let reason: String

  package static func == (left: TLSError, right: TLSError) -> Bool { left.code == right.code }

  /// Takes the thread's error queue with it, so that the next call starts clean.
  init(_ code: Code) {
    self.code = code
    reason = TLSError.drainQueue()
  }

  static func drainQueue() -> String {
    var reasons: [String] = []
    while true {
      let error = ERR_get_error()
      guard error != 0 else { break }
      guard let text = ERR_reason_error_string(error) else { continue }
      reasons.append(String(cString: text))
    }
    return reasons.isEmpty ? "no reason given" : reasons.joined(separator: ", ")
  }
}
