/// A configuration file as it was read: names and texts with their lines, nothing judged.
package struct RawConfiguration: Equatable, Sendable {
  /// The name that diagnostics carry.
  package var file: String
  /// In the order of the file; repeated and unknown directives included.
  package var body: [RawDirective]
  /// False when a syntax error ended the reading, so that what is missing may only be unread.
  package var isComplete: Bool

  package init(file: String, body: [RawDirective], isComplete: Bool = true) {
    self.file = file
    self.body = body
    self.isComplete = isComplete
  }
}

/// `name = value`, `name = {value, value}`, or `name "title" { ... }`.
package struct RawDirective: Equatable, Sendable {
  package var name: String
  /// Where its first value, or the opening brace of its block, stands.
  package var line: Int
  /// The values as texts, or a block's title. Nil is a value that could not be had and is already reported.
  package var values: [String?]
  /// What stands between the braces; nil for `name = value`.
  package var body: [RawDirective]?

  package init(name: String, line: Int, values: [String?], body: [RawDirective]? = nil) {
    self.name = name
    self.line = line
    self.values = values
    self.body = body
  }
}
