import ConfigReader
import Testing

@Suite("Golden cases of configuration files")
struct GoldenCaseTests {
  @Test("gives the recorded summary or diagnostics", arguments: try ConftestFile.all())
  func givesRecordedOutput(file: ConftestFile) throws {
    let output = rendered(
      ConfigReader.load(text: file.input, file: "gateway.conf") { ConftestFile.environment[$0] })
    if file.expected.isEmpty {
      try file.record(output)
      Issue.record("recorded \(file.testDescription): look at it, and run again")
    } else {
      #expect(output == file.expected)
    }
  }

  @Test("has its cases") func casesAreFound() throws {
    #expect(try ConftestFile.all().count >= 40)
  }
}
