import GatewayConfig
import Testing

@Suite("The directive table")
struct DirectiveTableTests {
  private func resolve(_ name: String, _ value: String) throws -> Configuration {
    let listen = RawDirective(name: "listen", line: 1, values: ["127.0.0.1:0"], body: [])
    let upstream = RawDirective(name: "upstream", line: 2, values: ["https://h/"])
    let route = RawDirective(name: "route", line: 2, values: ["/"], body: [upstream])
    let directive = RawDirective(name: name, line: 3, values: [value])
    let raw = RawConfiguration(file: "f", body: [listen, route, directive])
    var configuration = try Resolver.resolve(raw).get().configuration
    configuration.listeners = []
    configuration.routes = []
    return configuration
  }

  @Test("has each name once in a scope, in lower case and underscores") func names() {
    let keys = Directives.all.map { "\($0.scope) \($0.name)" }
    #expect(Set(keys).count == keys.count)
    #expect(Directives.all.allSatisfy { $0.name.allSatisfy { $0.isLowercase || $0 == "_" } })
  }

  @Test("says what each directive is, in one line that ends in a full stop") func summaries() {
    for row in Directives.all {
      #expect(row.summary.hasSuffix("."), "\(row.name)")
      #expect(!row.summary.contains("\n"), "\(row.name)")
    }
  }

  @Test(
    "gives as default what the configuration starts from",
    arguments: Directives.all.filter { $0.scope == .top })
  func defaults(row: Directive) throws {
    guard let text = row.defaultText else { return }
    #expect(try resolve(row.name, text.filter { $0 != "\"" }) == Configuration(), "\(row.name)")
  }

  @Test("takes both bounds of a range and nothing beyond", arguments: Directives.all)
  func bounds(row: Directive) throws {
    switch row.kind {
    case .count(let range), .size(let range), .duration(let range):
      let unit = if case .duration = row.kind { "ms" } else { "" }
      for value in [range.lowerBound, range.upperBound] {
        #expect(throws: Never.self) { try resolve(row.name, "\(value)\(unit)") }
      }
      for value in [range.lowerBound - 1, range.upperBound + 1] {
        #expect(throws: ConfigurationErrors.self) { try resolve(row.name, "\(value)\(unit)") }
      }
    default: return
    }
  }

  @Test("sets a different member for each directive", arguments: Directives.all.filter { $0.scope == .top })
  func targets(row: Directive) throws {
    let other: String
    switch row.kind {
    case .count(let range), .size(let range): other = "\(range.lowerBound + 1)"
    case .duration(let range): other = "\(range.lowerBound + 1)ms"
    case .boolean: other = "on"
    case .log: other = "/log"
    case .file, .names: other = "a.example"
    case .prefix: other = "/x"
    case .choice(let words): other = words.last ?? ""
    case .connectTo: other = "::a:1"
    case .block, .upstream: return
    }
    let configuration = try resolve(row.name, other)
    #expect(configuration != Configuration(), "\(row.name)")
    let lines = configuration.summary.split(separator: "\n")
    #expect(lines.count == 1 && lines[0].hasPrefix(row.name), "\(row.name): \(lines)")
  }

  @Test(
    "finds the nearest name",
    arguments: [
      ("conect_timeout", "connect_timeout"), ("Workers", "workers"), ("listne", "listen"),
      ("routes", "route"),
      ("upstream_ca", "upstream_ca_file"), ("acces_log", "access_log"),
    ])
  func nearest(name: String, expected: String) {
    #expect(Directives.nearest(to: name, in: .top)?.name == expected)
  }

  @Test("finds none that is not near", arguments: ["", "x", "frobnicate", "backend"])
  func tooFar(name: String) {
    #expect(Directives.nearest(to: name, in: .top) == nil)
  }
}
