import Foundation
import GatewayConfig
import Testing

/// A golden case: a configuration, a line of dashes, and the summary or the diagnostics it gives.
struct ConftestFile: Sendable, CustomTestStringConvertible {
  var url: URL
  var input: String
  /// Empty in a case that was never recorded.
  var expected: String

  var testDescription: String { url.deletingPathExtension().lastPathComponent }

  /// Variables that the cases may use.
  static let environment = [
    "PREFIX": "/octet", "ADDRESS": "0.0.0.0", "HOST": "api.octetproof.com", "EMPTY": "",
    "ODD": #"a"b\c$d${HOST}=|'#"#, "CONTROL": "a\nb",
  ]

  static let separator = "----------\n"
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static func all() throws -> [ConftestFile] {
    let folder = root.appending(path: "Tests/Cases/config")
    let urls = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return try urls.filter { $0.pathExtension == "conftest" }
      .sorted { $0.path < $1.path }
      .map { url in
        let text = try String(contentsOf: url, encoding: .utf8)
        guard let cut = text.range(of: separator) else { throw CocoaError(.fileReadCorruptFile) }
        return ConftestFile(
          url: url, input: String(text[..<cut.lowerBound]), expected: String(text[cut.upperBound...]))
      }
  }

  func record(_ output: String) throws {
    try (input + Self.separator + output).write(to: url, atomically: true, encoding: .utf8)
  }
}

/// What a case is compared with.
func rendered(_ result: Result<LoadedConfiguration, ConfigurationErrors>) -> String {
  switch result {
  case .success(let loaded):
    (loaded.warnings.map(\.description) + [loaded.configuration.summary, ""]).joined(separator: "\n")
  case .failure(let errors): errors.description + "\n"
  }
}
