/// One thing to say about a configuration file: where, how bad, what is wrong and what would be right.
package struct Diagnostic: Equatable, Sendable, CustomStringConvertible {
  package enum Severity: String, Equatable, Sendable {
    /// The gateway does not start.
    case error
    /// The gateway starts, and something in the file is likely not what was meant.
    case warning
  }

  package var file: String
  /// Counted from 1; nil when the file could not be read at all.
  package var line: Int?
  package var severity: Severity
  /// What is wrong, for people; no full stop at its end.
  package var problem: String
  /// What would be right, for people.
  package var remedy: String

  package init(file: String, line: Int?, severity: Severity = .error, problem: String, remedy: String) {
    self.file = file
    self.line = line
    self.severity = severity
    self.problem = problem
    self.remedy = remedy
  }

  /// `file:line: error: what is wrong; what would be right`, as compilers write it.
  package var description: String {
    let place = line.map { "\(file):\($0)" } ?? file
    return "\(place): \(severity.rawValue): \(problem); \(remedy)"
  }

  /// By line; findings on one line keep the order in which they were made.
  package static func sorted(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
    diagnostics.enumerated().sorted { left, right in
      (left.element.line ?? 0, left.offset) < (right.element.line ?? 0, right.offset)
    }.map(\.element)
  }
}

/// Why a file gave no configuration.
package struct ConfigurationErrors: Error, Equatable, Sendable, CustomStringConvertible {
  /// All errors and the warnings between them, sorted by line.
  package var diagnostics: [Diagnostic]

  package init(diagnostics: [Diagnostic]) {
    self.diagnostics = diagnostics
  }

  /// One diagnostic on each line.
  package var description: String {
    diagnostics.map(\.description).joined(separator: "\n")
  }
}

/// A configuration that can run, and what is still worth saying about its file.
package struct LoadedConfiguration: Equatable, Sendable {
  package var configuration: Configuration
  /// Sorted by line; never errors.
  package var warnings: [Diagnostic]

  package init(configuration: Configuration, warnings: [Diagnostic] = []) {
    self.configuration = configuration
    self.warnings = warnings
  }
}
