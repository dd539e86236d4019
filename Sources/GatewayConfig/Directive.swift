/// One row of the directive table: all that parser, checker and documents know about a directive.
package struct Directive: Sendable {
  package var name: String
  package var scope: Scope
  package var topic: Topic
  package var kind: ValueKind
  /// Where a checked value goes, when nothing but its kind has to be known about it.
  package var target: Target
  /// The default as it would be written; nil when there is none.
  package var defaultText: String?
  package var example: Example
  /// Rules of the forwarding contract that it touches, such as `C3`.
  package var rules: [String]
  /// One line.
  package var summary: String
  /// Paragraphs in Markdown, one string each.
  package var details: [String]

  init(
    _ name: String, in scope: Scope = .top, _ topic: Topic, _ kind: ValueKind,
    target: Target = .structure, default defaultText: String? = nil, example: Example? = nil,
    rules: [String] = [], _ summary: String, _ details: String...
  ) {
    self.name = name
    self.scope = scope
    self.topic = topic
    self.kind = kind
    self.target = target
    self.defaultText = defaultText
    self.example = example ?? .commented(defaultText ?? "")
    self.rules = rules
    self.summary = summary
    self.details = details
  }

  /// Where in a file a directive may stand.
  package enum Scope: String, Equatable, Sendable, CaseIterable {
    case top
    case listen
    case route
  }

  /// The chapters of the reference.
  package enum Topic: String, Equatable, Sendable, CaseIterable {
    case listening = "Listening"
    case routes = "Routes"
    case upstream = "Upstream connections"
    case failure = "When the upstream fails"
    case fields = "Field lines"
    case logs = "Logs"
    case limits = "Limits"
    case times = "Times"
  }

  /// How the example file shows a directive.
  package enum Example: Equatable, Sendable {
    /// In force, because the gateway needs it or the usual installation has it.
    case live(String)
    /// Behind a `#`.
    case commented(String)
  }

  /// A place in the configuration for values of one type.
  package enum Target: Sendable {
    case integer(any WritableKeyPath<Configuration, Int> & Sendable)
    case flag(any WritableKeyPath<Configuration, Bool> & Sendable)
    case log(any WritableKeyPath<Configuration, LogDestination> & Sendable)
    case file(any WritableKeyPath<Configuration, String?> & Sendable)
    /// The resolver has more to do than to store the value.
    case structure
  }
}

/// What a directive's value looks like, and between which bounds it lies.
package enum ValueKind: Equatable, Sendable {
  /// A block with a title: `listen "0.0.0.0:8443" { ... }`.
  case block(title: String)
  /// A plain number.
  case count(ClosedRange<Int>)
  /// Octets, as a plain number or with `KiB`, `MiB`, `GiB`.
  case size(ClosedRange<Int>)
  /// Milliseconds, written with a unit.
  case duration(ClosedRange<Int>)
  case boolean
  case choice([String])
  /// `off`, `stdout`, `stderr` or an absolute path.
  case log
  /// A file's path.
  case file
  /// A path prefix of request targets.
  case prefix
  case upstream
  case names
  case connectTo

  /// Whether the value is `{one, or, more}`.
  package var isList: Bool {
    self == .names || self == .connectTo
  }

  /// For the reference, such as `duration, 1ms to 1h`.
  package var summary: String {
    switch self {
    case .block(let title): "block, titled with \(title)"
    case .count(let range): "number, \(range.lowerBound) to \(range.upperBound)"
    case .size(let range): "size, \(Size.text(range.lowerBound)) to \(Size.text(range.upperBound))"
    case .duration(let range):
      "duration, \(Milliseconds.text(range.lowerBound)) to \(Milliseconds.text(range.upperBound))"
    case .boolean: "`on` or `off`"
    case .choice(let words): words.map { "`\"\($0)\"`" }.joined(separator: " or ")
    case .log: "`\"off\"`, `\"stdout\"`, `\"stderr\"` or an absolute path"
    case .file: "path of a file"
    case .prefix: "path that starts with `/` and does not end in one, or empty"
    case .upstream: "URL that ends in `/`"
    case .names: "list of host names or addresses, without ports"
    case .connectTo: "list of `host:port:to_host:to_port`"
    }
  }
}
