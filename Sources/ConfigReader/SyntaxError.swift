import GatewayConfig

/// libConfuse's complaints, put so that an operator sees what to do.
enum SyntaxError {
  /// - Parameter text: as libConfuse writes it; empty when it failed without a word.
  static func diagnostic(_ text: String, file: String, line: Int) -> Diagnostic {
    let (problem, remedy) = explanation(Encoding.decode(text) ?? "", subject: subject(of: text))
    return Diagnostic(file: file, line: line, problem: problem, remedy: remedy)
  }

  private static func explanation(_ text: String, subject: String) -> (problem: String, remedy: String) {
    if text.hasPrefix("no such option") {
      return ("`\(subject)` is not a directive here", "see the configuration reference")
    }
    if text.hasPrefix("missing equal sign") {
      return ("`\(subject)` is not followed by =", "write \(subject) = value")
    }
    if text.hasPrefix("missing title") {
      return ("`\(subject)` has no title", "write \(subject) \"\(title(of: subject))\" { ... }")
    }
    if text.hasPrefix("missing opening brace") {
      return ("`\(subject)` has no { after its title", "write \(subject) \"\(title(of: subject))\" { ... }")
    }
    if text.hasPrefix("unexpected token") {
      return ("\(subject) is not expected here", "write name = value, or name \"title\" { ... }")
    }
    if text.hasPrefix("premature end") {
      return ("the file ends within a directive", "write name = value, or name \"title\" { ... }")
    }
    return (text.isEmpty ? "the file cannot be parsed here" : text, "see the configuration reference")
  }

  private static func title(of name: String) -> String {
    if case .block(let title) = Directives.find(name, in: .top)?.kind { return title }
    return "title"
  }

  /// What stands between the first and the last single quote.
  private static func subject(of text: String) -> String {
    guard let first = text.firstIndex(of: "'"), let last = text.lastIndex(of: "'"), first < last else {
      return ""
    }
    return Encoding.decode(String(text[text.index(after: first)..<last])) ?? ""
  }
}
