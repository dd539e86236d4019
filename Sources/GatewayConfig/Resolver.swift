/// Turns a raw file into a configuration, or into everything that is wrong with it.
package struct Resolver {
  let file: String
  /// Whether the whole file was read; if not, nothing is called missing.
  let isComplete: Bool
  var configuration = Configuration()
  var diagnostics: [Diagnostic]
  /// Where each top-level directive stands.
  var lines: [String: Int] = [:]
  /// Complete routes, with the lines of their upstreams.
  var routes: [(route: RouteConfiguration, line: Int)] = []
  var routePaths: [String: Int] = [:]
  var addresses: [(address: ListenAddress, line: Int)] = []

  /// - Parameter found: what the reader has already found wrong.
  package static func resolve(
    _ raw: RawConfiguration, found: [Diagnostic] = []
  ) -> Result<LoadedConfiguration, ConfigurationErrors> {
    var resolver = Resolver(file: raw.file, isComplete: raw.isComplete, diagnostics: found)
    resolver.resolveTop(raw.body)
    let diagnostics = Diagnostic.sorted(resolver.diagnostics)
    if diagnostics.contains(where: { $0.severity == .error }) {
      return .failure(ConfigurationErrors(diagnostics: diagnostics))
    }
    return .success(LoadedConfiguration(configuration: resolver.configuration, warnings: diagnostics))
  }

  private init(file: String, isComplete: Bool, diagnostics: [Diagnostic]) {
    self.file = file
    self.isComplete = isComplete
    self.diagnostics = diagnostics
  }

  private mutating func resolveTop(_ body: [RawDirective]) {
    for (directive, row) in known(body, in: .top) {
      lines[directive.name] = directive.line
      if directive.name == "listen" {
        resolveListen(directive)
      } else if directive.name == "route" {
        resolveRoute(directive)
      } else {
        attempt(directive) { resolver throws(ValueError) in try resolver.store(directive, row) }
      }
    }
    checkPresence(body)
    checkRelations()
    configuration.routes = routes.map(\.route)
  }

  private mutating func checkPresence(_ body: [RawDirective]) {
    guard isComplete else { return }
    if !body.contains(where: { $0.name == "listen" && $0.body != nil }) {
      report(1, "nothing is listened on", "write a listen block, such as listen \"127.0.0.1:8080\" { }")
    }
    if !body.contains(where: { $0.name == "route" && $0.body != nil }) {
      report(
        1, "there is no route",
        "write one, such as route \"/v1/\" { upstream = \"https://api.octetproof.com/v1/\" }")
    }
  }

  /// Stores a top-level value that is not a block.
  private mutating func store(_ directive: RawDirective, _ row: Directive) throws(ValueError) {
    let texts = directive.values.compactMap(\.self)
    guard texts.count == directive.values.count, let text = texts.first else { return }
    switch row.target {
    case .integer(let path):
      switch row.kind {
      case .count(let range): configuration[keyPath: path] = try Count.parse(text, in: range)
      case .size(let range): configuration[keyPath: path] = try Size.parse(text, in: range)
      case .duration(let range): configuration[keyPath: path] = try Milliseconds.parse(text, in: range)
      default: preconditionFailure("the row of \(row.name) has a number without bounds")
      }
    case .flag(let path): configuration[keyPath: path] = try Bool.parse(text)
    case .log(let path): configuration[keyPath: path] = try LogDestination.parse(text)
    case .file(let path): configuration[keyPath: path] = try filePath(text)
    case .structure: try storeStructure(row.kind, texts)
    }
  }

  private mutating func storeStructure(_ kind: ValueKind, _ texts: [String]) throws(ValueError) {
    switch kind {
    case .prefix:
      try PathSyntax.checkPrefix(texts[0])
      configuration.prefix = texts[0]
    case .names: configuration.serverNames = try hostNames(texts)
    case .connectTo:
      for text in texts { configuration.connectTo.append(try ConnectToRule.parse(text)) }
    case .choice(let words):
      guard let policy = UpstreamFailurePolicy(rawValue: texts[0]) else {
        let choices = words.map { "\"\($0)\"" }.joined(separator: " or ")
        throw ValueError("\(quoted(texts[0])) is not a way to meet failures", "write \(choices)")
      }
      configuration.onUpstreamFailure = policy
    default: preconditionFailure("a row without a target has a kind that needs one")
    }
  }

  func filePath(_ text: String) throws(ValueError) -> String {
    if text.isEmpty {
      throw ValueError("the path is empty", "write a file's path, or leave the directive out")
    }
    return text
  }

  /// Host names and addresses without ports, each once.
  func hostNames(_ texts: [String]) throws(ValueError) -> [String] {
    var names: [String] = []
    for text in texts {
      if text.contains("*") {
        throw ValueError("\(quoted(text)) has a wildcard", "write each name in full")
      }
      if !text.hasPrefix("["), text.split(separator: ":").count == 2, IPAddress.ipv6(text) == nil {
        throw ValueError("\(quoted(text)) has a port", "write the name alone")
      }
      let name = try Host.parse(text).text
      if names.contains(name) { throw ValueError("\(quoted(text)) is listed twice", "write each name once") }
      names.append(name)
    }
    return names
  }

  /// Runs a check and reports what it throws at the directive, under its name.
  mutating func attempt(
    _ directive: RawDirective, _ check: (inout Resolver) throws(ValueError) -> Void
  ) {
    do {
      try check(&self)
    } catch {
      report(directive.line, "`\(directive.name)`: \(error.problem)", error.remedy)
    }
  }

  mutating func report(_ line: Int, _ problem: String, _ remedy: String) {
    diagnostics.append(Diagnostic(file: file, line: line, problem: problem, remedy: remedy))
  }

  mutating func warn(_ line: Int, _ problem: String, _ remedy: String) {
    diagnostics.append(
      Diagnostic(file: file, line: line, severity: .warning, problem: problem, remedy: remedy))
  }
}
