/// The operator's reference, docs/CONFIGURATION.md, made from the directive table.
package enum Reference {
  /// The whole page in Markdown, ending in a line feed.
  package static func markdown() -> String {
    var parts = [introduction]
    for topic in Directive.Topic.allCases {
      parts.append("## \(topic.rawValue)")
      parts += Directives.all.filter { $0.topic == topic }.map(section)
    }
    return parts.joined(separator: "\n\n") + "\n"
  }

  private static func section(_ row: Directive) -> String {
    var facts = ["in: \(place(row.scope))", "value: \(row.kind.summary)"]
    if let text = row.defaultText { facts.append("default: `\(text)`") }
    if !row.rules.isEmpty { facts.append("rules: \(row.rules.joined(separator: ", "))") }
    let list = facts.map { "- \($0)" }.joined(separator: "\n")
    let title = row.scope == .top ? row.name : "\(row.name) (in \(row.scope.rawValue))"
    return (["### \(title)", row.summary] + row.details + [list]).joined(separator: "\n\n")
  }

  private static func place(_ scope: Directive.Scope) -> String {
    scope == .top ? "top level" : "a `\(scope.rawValue)` block"
  }

  private static let introduction = """
    # Configuration

    <!-- Made by `octet-gateway config-reference` from the directive table; change it there. -->

    One file holds the whole configuration. `octet-gateway check` reads it and reports what is wrong without starting
    anything; `serve` reads it the same way. `gateway.conf.example` shows every directive with its default.

    Rule ids such as C3 are those of the forwarding contract.

    ## The file

    ```
    # a comment, to the end of the line; // and /* */ work too
    name = value
    name = {"several", "values"}
    name "title" {
        name = value
    }
    ```

    - A value is a word, or a string in quotes. It needs quotes when it contains a space or one of `# " ' = { } ( ) + , *`.
      A string ends on the line on which it starts. In double quotes `\\"`, `\\\\` and `\\$` stand for the character itself;
      in single quotes a backslash is a backslash, unless `'` or another backslash follows.
    - Sizes are octets, or have a unit: `64KiB`, `1MiB`, `1GiB`. Durations always have a unit: `500ms`, `2s`, `5m`, `1h`.
    - Switches are `on` or `off`; `yes`, `no`, `true` and `false` are the same.
    - `${NAME}` is replaced by an environment variable, as a value of its own or in double quotes; a variable that is not
      set is an error. `${NAME:-text}` gives the text for a variable that is unset or empty. Single quotes and comments
      leave both alone.
    - Each directive stands once, except `listen` and `route`. The order does not matter.
    - The file is UTF-8 and at most 1 MiB. There is no include.

    Everything that is wrong is reported at once, each with its place, and then nothing starts:

    ```
    gateway.conf:3: error: `conect_timeout` is not a directive; did you mean `connect_timeout`?
    gateway.conf:7: error: `drain_timeout`: the duration 30 has no unit; write 30s or 30ms
    ```

    Only a slip in the grammar itself (a missing `=`, a value too many) hides what comes after it.

    What is possible but likely a mistake is a warning, and the gateway starts.
    """
}
