import GatewayConfig

/// What the scanner makes of a file: text that libConfuse reads safely, and what it has to know beforehand.
struct ScannedText {
  /// Strings closed on their lines, braces balanced, comments and references gone, every line where it was.
  var text: [UInt8] = []
  /// Names that stand where a directive's name does.
  var heads: [Head] = []
  /// What is wrong with the text; it was mended so that the rest can be read, and no configuration comes of it.
  var problems: [Diagnostic] = []
  /// False when nothing sensible can be read from what is left.
  var isReadable = true
  /// Values that could not be had; the text is fit, with a marker in their place.
  var unresolved: [Diagnostic] = []

  struct Head: Equatable {
    var name: String
    var shape: Shape
  }

  enum Shape: Equatable {
    case assignment
    case block(titled: Bool)
  }
}

/// Goes over a file before libConfuse does, because libConfuse alone is not safe or clear enough for us:
///
/// - its lexer stays within a string that is not closed, and would read the next file (a reload) from there;
/// - an unset `${NAME}` silently becomes nothing, and it asks the process's environment only;
/// - a `/* */` comment makes it count one line too many, and an octet it does not know is dropped silently;
/// - a name with `|` or `=` is a path to another option, and some such names never return.
///
/// The grammar (names, values, lists, blocks) stays libConfuse's.
struct Scanner {
  let file: String
  let environment: (String) -> String?
  let input: [UInt8]
  var index = 0
  var line = 1
  var result = ScannedText()
  private var recent: [Token] = []
  private var openBraces: [Int] = []

  /// Octets that a file may have.
  static let sizeLimit = 1 << 20
  /// Braces within braces; libConfuse descends once for each.
  private static let depthLimit = 8

  enum Token: Equatable {
    case word(String)
    case string
    case open, close, equals, comma
  }

  init(_ input: [UInt8], file: String, environment: @escaping (String) -> String?) {
    self.input = input
    self.file = file
    self.environment = environment
  }

  static func scan(_ input: [UInt8], file: String, environment: @escaping (String) -> String?) -> ScannedText
  {
    var scanner = Scanner(input, file: file, environment: environment)
    guard scanner.isText() else {
      scanner.result.isReadable = false
      return scanner.result
    }
    while let octet = scanner.peek() { scanner.step(octet) }
    if !scanner.openBraces.isEmpty {
      scanner.result.isReadable = false
      // A string that is not closed swallows braces: one error is enough then.
      for line in scanner.openBraces where scanner.result.problems.isEmpty {
        scanner.report(line, "the { opened here is never closed", "add a }")
      }
    }
    return scanner.result
  }

  /// Refuses what is no text of a sensible size, once for the whole file.
  private mutating func isText() -> Bool {
    if input.count > Self.sizeLimit {
      report(
        1, "the file is over \(Size.text(Self.sizeLimit))", "a configuration is far smaller: check the path")
    } else if input.starts(with: [0xEF, 0xBB, 0xBF]) {
      report(1, "the file starts with a byte order mark", "save it as UTF-8 without one")
    } else {
      let lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      for (index, text) in lines.enumerated() where String(validating: text, as: UTF8.self) == nil {
        report(index + 1, "the line is not UTF-8", "save the file as UTF-8")
      }
    }
    return result.problems.isEmpty
  }

  private mutating func step(_ octet: UInt8) {
    switch octet {
    case UInt8(ascii: "\n"):
      line += 1
      emit(octet)
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): emit(UInt8(ascii: " "))
    case UInt8(ascii: "#"): skipLine()
    case UInt8(ascii: "/") where peek(1) == octet: skipLine()
    case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"): skipComment()
    case UInt8(ascii: "\""), UInt8(ascii: "'"): scanString(octet)
    case UInt8(ascii: "{"): openBrace()
    case UInt8(ascii: "}"): closeBrace()
    case UInt8(ascii: "="): punctuation(.equals)
    case UInt8(ascii: ","): punctuation(.comma)
    case UInt8(ascii: "$") where peek(1) == UInt8(ascii: "{"): scanBareReference()
    case _ where isWord(octet): scanWord()
    default: refuse(octet)
    }
  }

  private mutating func refuse(_ octet: UInt8) {
    index += 1
    if octet == UInt8(ascii: "+"), peek() == UInt8(ascii: "=") {
      index += 1
      put(UInt8(ascii: "="))
      report(line, "+= is not used here", "write all values in one list")
    } else {
      // A value that could not be had, lest the next word be taken for it.
      for octet in [UInt8(ascii: "\""), Encoding.unresolved, UInt8(ascii: "\"")] { put(octet) }
      note(.string)
      report(line, "\(Self.name(of: octet)) cannot stand here", "put the value in double quotes")
    }
  }

  private mutating func scanWord() {
    let start = index
    while let octet = peek(), isWord(octet) {
      if octet == UInt8(ascii: "$"), peek(1) == UInt8(ascii: "{") { break }
      if octet == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") { break }
      emit(octet)
    }
    note(.word(String(decoding: input[start..<index], as: UTF8.self)))
    if peek() == UInt8(ascii: "$") { reportGluedReference() }
  }

  private mutating func scanBareReference() {
    put(UInt8(ascii: "\""))
    scanReference()
    put(UInt8(ascii: "\""))
    note(.string)
    if let next = peek(), isWord(next) { reportGluedReference() }
  }

  private mutating func reportGluedReference() {
    report(line, "a ${NAME} is part of a word", "put the whole value in double quotes")
  }

  private mutating func openBrace() {
    switch (recent.last, recent.dropLast().last, recent.dropLast(2).last) {
    case (.equals, _, _): break  // a list
    case (.word(let name), .some(.word(_)), .equals), (.word(let name), .some(.string), .equals):
      head(name, .block(titled: false))
    case (.word(_), .word(let name), _), (.string, .word(let name), _): head(name, .block(titled: true))
    case (.word(let name), _, _): head(name, .block(titled: false))
    default: break
    }
    openBraces.append(line)
    if openBraces.count == Self.depthLimit {
      report(line, "braces are nested too deeply", "close the blocks before")
      result.isReadable = false
    }
    punctuation(.open)
  }

  private mutating func closeBrace() {
    guard openBraces.popLast() != nil else {
      report(line, "this } closes nothing", "remove it")
      index += 1
      return
    }
    if recent.suffix(2) == [.equals, .open] {
      report(line, "the list is empty", "leave the directive out, or write a value")
    }
    punctuation(.close)
  }

  private mutating func punctuation(_ token: Token) {
    if token == .equals, case .word(let name) = recent.last { head(name, .assignment) }
    put(input[index])
    index += 1
    note(token)
  }

  mutating func note(_ token: Token) {
    recent.append(token)
    if recent.count > 3 { recent.removeFirst() }
  }

  private mutating func head(_ name: String, _ shape: ScannedText.Shape) {
    result.heads.append(ScannedText.Head(name: name, shape: shape))
  }

  private mutating func skipLine() {
    index = input[index...].firstIndex(of: UInt8(ascii: "\n")) ?? input.count
  }

  private mutating func skipComment() {
    let start = line
    index += 2
    while let octet = peek() {
      if octet == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
        index += 2
        put(UInt8(ascii: " "))
        return
      }
      if octet == UInt8(ascii: "\n") {
        line += 1
        put(octet)
      }
      index += 1
    }
    report(start, "the /* opened here is never closed", "add a */")
  }
}
