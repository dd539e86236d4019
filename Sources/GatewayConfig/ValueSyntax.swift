/// Why a value is none, in the two halves of a diagnostic.
package struct ValueError: Error, Equatable, Sendable {
  package var problem: String
  package var remedy: String

  package init(_ problem: String, _ remedy: String) {
    self.problem = problem
    self.remedy = remedy
  }
}

/// A text as it is shown in a diagnostic: quoted, and cut when it is long.
func quoted(_ text: String) -> String {
  let shown = text.unicodeScalars.prefix(80)
  return "\"\(String(shown))\(shown.count < text.unicodeScalars.count ? "..." : "")\""
}

/// `0`, or decimal digits without sign or leading zero.
/// - Returns: nil for anything else, and for what does not fit.
func decimal(_ text: some StringProtocol) -> Int? {
  guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
  guard text.utf8.count == 1 || text.utf8.first != 0x30 else { return nil }
  return Int(text)
}

/// The leading digits of a value and what follows them.
private func splitUnit(_ text: String) -> (digits: Substring, unit: Substring) {
  let digits = text.prefix { ("0"..."9").contains($0) }
  return (digits, text[digits.endIndex...])
}

/// A plain number within bounds.
package enum Count {
  package static func parse(_ text: String, in range: ClosedRange<Int>) throws(ValueError) -> Int {
    let remedy = "write a whole number from \(range.lowerBound) to \(range.upperBound)"
    guard let number = decimal(text) else { throw ValueError("\(quoted(text)) is not a number", remedy) }
    guard range.contains(number) else { throw ValueError("\(number) is out of range", remedy) }
    return number
  }
}

/// A number of octets, plain or in `KiB`, `MiB`, `GiB`.
package enum Size {
  private static let units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]

  package static func parse(_ text: String, in range: ClosedRange<Int>) throws(ValueError) -> Int {
    let bounds = "from \(self.text(range.lowerBound)) to \(self.text(range.upperBound))"
    let (digits, unit) = splitUnit(text)
    guard let number = decimal(digits) else {
      throw ValueError("\(quoted(text)) is not a size", "write octets or a unit, such as 64KiB, \(bounds)")
    }
    let factor = unit.isEmpty ? 1 : units.first { $0.0 == unit }?.1
    guard let factor else {
      throw ValueError(
        "\(quoted(String(unit))) is not a unit of sizes", "write KiB, MiB or GiB, or a plain number of octets"
      )
    }
    let (octets, overflow) = number.multipliedReportingOverflow(by: factor)
    guard !overflow, range.contains(octets) else {
      throw ValueError("\(text) is out of range", "write a size \(bounds)")
    }
    return octets
  }

  /// In the largest unit that needs no fraction.
  package static func text(_ octets: Int) -> String {
    for (unit, factor) in units where octets > 0 && octets.isMultiple(of: factor) {
      return "\(octets / factor)\(unit)"
    }
    return "\(octets)"
  }
}

/// A duration in milliseconds, written in `ms`, `s`, `m` or `h`.
package enum Milliseconds {
  private static let units = [("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)]

  package static func parse(_ text: String, in range: ClosedRange<Int>) throws(ValueError) -> Int {
    let bounds = "from \(self.text(range.lowerBound)) to \(self.text(range.upperBound))"
    let (digits, unit) = splitUnit(text)
    guard let number = decimal(digits) else {
      throw ValueError(
        "\(quoted(text)) is not a duration", "write a number and a unit, such as 2s, \(bounds)")
    }
    guard !unit.isEmpty else {
      throw ValueError("the duration \(text) has no unit", "write \(text)s or \(text)ms")
    }
    guard let factor = units.first(where: { $0.0 == unit })?.1 else {
      throw ValueError(
        "\(quoted(String(unit))) is not a unit of durations", "write ms, s, m or h, such as 2s")
    }
    let (milliseconds, overflow) = number.multipliedReportingOverflow(by: factor)
    guard !overflow, range.contains(milliseconds) else {
      throw ValueError("\(text) is out of range", "write a duration \(bounds)")
    }
    return milliseconds
  }

  /// In the largest unit that needs no fraction, but minutes only from two, so that `60s` stays.
  package static func text(_ milliseconds: Int) -> String {
    if milliseconds == 0 { return "0s" }
    if milliseconds.isMultiple(of: 3_600_000) { return "\(milliseconds / 3_600_000)h" }
    if milliseconds.isMultiple(of: 60_000), milliseconds >= 120_000 { return "\(milliseconds / 60_000)m" }
    if milliseconds.isMultiple(of: 1000) { return "\(milliseconds / 1000)s" }
    return "\(milliseconds)ms"
  }
}

extension Bool {
  /// `on`, `yes`, `true`, or `off`, `no`, `false`, in any case.
  package static func parse(_ text: String) throws(ValueError) -> Bool {
    switch text.lowercased() {
    case "on", "yes", "true": return true
    case "off", "no", "false": return false
    default: throw ValueError("\(quoted(text)) is neither on nor off", "write on or off")
    }
  }
}

extension LogDestination {
  package static func parse(_ text: String) throws(ValueError) -> LogDestination {
    switch text {
    case "off": return .off
    case "stdout": return .standardOutput
    case "stderr": return .standardError
    default:
      guard text.hasPrefix("/"), !text.hasSuffix("/") else {
        throw ValueError(
          "\(quoted(text)) is no place for a log", "write \"off\", \"stdout\", \"stderr\" or an absolute path"
        )
      }
      return .file(text)
    }
  }

  /// As it would be written in the file.
  package var text: String {
    switch self {
    case .off: "off"
    case .standardOutput: "stdout"
    case .standardError: "stderr"
    case .file(let path): path
    }
  }
}
