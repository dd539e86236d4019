import ConfigReader
import Foundation
import GatewayConfig
import Testing

@Suite("Documents made from the directive table")
struct DocumentTests {
  /// A file that is not there yet is written once, and its test fails once.
  private func expectFile(_ path: String, _ text: String) throws {
    let url = ConftestFile.root.appending(path: path)
    guard let committed = try? String(contentsOf: url, encoding: .utf8) else {
      try text.write(to: url, atomically: true, encoding: .utf8)
      Issue.record("wrote \(path): look at it, and run again")
      return
    }
    #expect(committed == text, "make it anew: remove the file and run this test")
  }

  @Test("docs/CONFIGURATION.md is what the table gives") func reference() throws {
    try expectFile("docs/CONFIGURATION.md", Reference.markdown())
  }

  @Test("gateway.conf.example is what the table gives") func example() throws {
    try expectFile("gateway.conf.example", ExampleFile.text())
  }

  @Test("the example loads without a warning, and sets nothing but what it shows in force")
  func exampleLoads() throws {
    let loaded = try ConfigReader.load(text: ExampleFile.text(), file: "gateway.conf.example").get()
    #expect(loaded.warnings.isEmpty)
    var bare = loaded.configuration
    bare.prefix = ""
    bare.listeners = []
    bare.routes = []
    #expect(bare == Configuration())
    #expect(loaded.configuration.routes.count == 3)
  }

  @Test("the example loads with every commented setting in force, and defaults change nothing")
  func everySetting() throws {
    let names = Directives.all.map(\.name)
    let lines = ExampleFile.text().split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let text = line.drop { $0 == " " }
      let name = text.hasPrefix("# ") ? text.dropFirst(2).prefix { $0 != " " } : ""
      let isSetting = names.contains(String(name)) && text.dropFirst(2 + name.count).hasPrefix(" = ")
      // These need another setting beside them.
      return isSetting && name != "redirect_hosts" ? String(text.dropFirst(2)) : String(line)
    }
    let loaded = try ConfigReader.load(text: lines.joined(separator: "\n"), file: "f").get()
    #expect(loaded.warnings.isEmpty)
    #expect(loaded.configuration.serverNames == ["api.example.com"])
    #expect(loaded.configuration.connectTo.count == 1)
    #expect(loaded.configuration.timeouts == Timeouts())
    #expect(loaded.configuration.limits == Limits())
  }
}
