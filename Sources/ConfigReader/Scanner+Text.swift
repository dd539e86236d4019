import GatewayConfig

extension Scanner {
  /// A string, in double quotes with escapes and references, or in single quotes with neither.
  mutating func scanString(_ quote: UInt8) {
    emit(quote)
    while let octet = peek() {
      switch octet {
      case quote:
        emit(octet)
        note(.string)
        return
      case UInt8(ascii: "\n"):
        return endUnclosedString(quote)
      case UInt8(ascii: "\\"): scanEscape(quote)
      case UInt8(ascii: "$") where quote == UInt8(ascii: "\"") && peek(1) == UInt8(ascii: "{"):
        scanReference()
      case 0..<0x20, 0x7F:
        report(line, "\(Self.name(of: octet)) cannot stand in a string", "remove it")
        index += 1
      default: emit(octet)
      }
    }
    endUnclosedString(quote)
  }

  private mutating func endUnclosedString(_ quote: UInt8) {
    report(line, "a string is not closed on its line", "add the missing \(Character(UnicodeScalar(quote)))")
    put(quote)
    note(.string)
  }

  /// In double quotes a backslash makes `"`, `\` and `$` plain; in single quotes it is itself before other octets.
  private mutating func scanEscape(_ quote: UInt8) {
    let next = peek(1)
    let isKnown =
      next == quote || next == UInt8(ascii: "\\")
      || (quote == UInt8(ascii: "\"") && next == UInt8(ascii: "$"))
    if isKnown {
      emit(input[index])
      emit(input[index])
    } else if quote == UInt8(ascii: "'") {
      // Doubled, because libConfuse takes a backslash and any octet after it, the end of the line too.
      put(input[index])
      emit(input[index])
    } else {
      report(line, "a backslash stands before something other than \" \\ $", "write \\\\ for a backslash")
      index += 1
    }
  }

  /// `${NAME}` or `${NAME:-text}`, replaced by the variable's value. As in the shell, the text stands in for a
  /// variable that is unset or empty.
  mutating func scanReference() {
    let start = index + 2
    var end = start
    while end < input.count, input[end] != UInt8(ascii: "}"), input[end] != UInt8(ascii: "\n") { end += 1 }
    guard end < input.count, input[end] == UInt8(ascii: "}") else {
      report(
        line, "a ${ is not closed on its line", "write ${NAME}, or \\${ in double quotes for the text itself")
      index = start
      return
    }
    index = end + 1
    let inner = String(decoding: input[start..<end], as: UTF8.self)
    let name = String(inner.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
    let rest = inner.dropFirst(name.count)
    guard let first = name.first, !first.isNumber, rest.isEmpty || rest.hasPrefix(":-") else {
      report(line, "${\(inner.prefix(80))} does not name a variable", "write ${NAME} or ${NAME:-default}")
      return
    }
    let value = environment(name)
    let fallback = rest.isEmpty ? nil : String(rest.dropFirst(2))
    guard let text = value.flatMap({ $0.isEmpty ? nil : $0 }) ?? fallback ?? value else {
      result.unresolved.append(
        Diagnostic(
          file: file, line: line, problem: "the environment variable \(name) is not set",
          remedy: "set it, or write ${\(name):-default}"))
      put(Encoding.unresolved)
      return
    }
    putValue(text, of: name)
  }

  private mutating func putValue(_ text: String, of name: String) {
    for octet in text.utf8 {
      switch octet {
      case 0..<0x20, 0x7F:
        // The value itself may be a secret and is not shown.
        report(line, "the value of ${\(name)} has \(Self.name(of: octet))", "correct the variable")
        return
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "$"):
        put(UInt8(ascii: "\\"))
        put(octet)
      default: put(Encoding.encode(octet))
      }
    }
  }

  /// The octets that libConfuse takes into a word, less those with a meaning for it elsewhere.
  func isWord(_ octet: UInt8) -> Bool {
    octet > 0x20 && octet != 0x7F && !"#\"'={}()+,*".utf8.contains(octet)
  }

  func peek(_ ahead: Int = 0) -> UInt8? {
    index + ahead < input.count ? input[index + ahead] : nil
  }

  /// Takes one octet of a word or string over into the text.
  mutating func emit(_ octet: UInt8) {
    put(Encoding.encode(octet))
    index += 1
  }

  mutating func put(_ octet: UInt8) {
    result.text.append(octet)
  }

  mutating func report(_ line: Int, _ problem: String, _ remedy: String) {
    result.problems.append(Diagnostic(file: file, line: line, problem: problem, remedy: remedy))
  }

  static func name(of octet: UInt8) -> String {
    switch octet {
    case 0: "a NUL octet"
    case 1..<0x20, 0x7F:
      "a control character (0x\(octet < 16 ? "0" : "")\(String(octet, radix: 16, uppercase: true)))"
    default: "\(Character(UnicodeScalar(octet)))"
    }
  }
}
