extension Resolver {
  /// The directives that may stand in a scope, each once and in its right form; the others are reported.
  mutating func known(
    _ body: [RawDirective], in scope: Directive.Scope
  ) -> [(directive: RawDirective, row: Directive)] {
    var result: [(directive: RawDirective, row: Directive)] = []
    var seen: [String: Int] = [:]
    for directive in body {
      guard let row = Directives.find(directive.name, in: scope) else {
        reportStranger(directive, in: scope)
        continue
      }
      if case .block(let title) = row.kind {
        if directive.body == nil || directive.values.isEmpty {
          report(
            directive.line, "`\(directive.name)` is not a block here",
            "write \(row.name) \"\(title)\" { ... }")
        } else {
          result.append((directive, row))
        }
        continue
      }
      if directive.body != nil {
        report(directive.line, "`\(row.name)` is not a block", "write \(row.name) = value")
        continue
      }
      if let first = seen[directive.name] {
        report(
          directive.line, "`\(directive.name)` is repeated, after line \(first)",
          row.kind.isList ? "write all values in one list" : "write it once")
        continue
      }
      seen[directive.name] = directive.line
      result.append((directive, row))
    }
    return result
  }

  /// A name that has no place here: known elsewhere, misspelt, or unknown.
  private mutating func reportStranger(_ directive: RawDirective, in scope: Directive.Scope) {
    let name = "`\(String(directive.name.unicodeScalars.prefix(80)))`"
    if let home = Directives.scope(of: directive.name) {
      switch (home, scope) {
      case (.top, .top): break
      case (.top, _):
        report(
          directive.line, "\(name) cannot stand in a `\(scope.rawValue)` block",
          "move it to the top level; is a } missing before it?")
      default:
        report(
          directive.line,
          "\(name) cannot stand \(scope == .top ? "at the top level" : "in a `\(scope.rawValue)` block")",
          "move it into a `\(home.rawValue)` block")
      }
      return
    }
    guard let nearest = Directives.nearest(to: directive.name, in: scope) else {
      let names = Directives.all.filter { $0.scope == scope }.map(\.name)
      report(
        directive.line, "\(name) is not a directive",
        scope == .top ? "see the configuration reference" : "here stand \(names.joined(separator: ", "))")
      return
    }
    let place =
      nearest.scope == scope
      ? "" : nearest.scope == .top ? " at the top level" : ", in a `\(nearest.scope.rawValue)` block"
    report(directive.line, "\(name) is not a directive", "did you mean `\(nearest.name)`\(place)?")
  }
}
