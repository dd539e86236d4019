package import GatewayConfig
import Glibc

/// From a configuration file to a configuration: reads, has libConfuse parse, and leaves judging to `Resolver`.
///
/// May be called from any thread; calls wait for each other.
package enum ConfigReader {
  /// Reads a file.
  ///
  /// - Parameter environment: gives the values of `${NAME}` references.
  /// - Returns: the configuration with warnings, or every error found. The file's own failure to be read is one.
  package static func load(
    path: String, environment: (String) -> String? = processEnvironment
  ) -> Result<LoadedConfiguration, ConfigurationErrors> {
    do {
      return load(
        octets: try FileContent.read(path, limit: Scanner.sizeLimit), file: path, environment: environment)
    } catch {
      return .failure(
        ConfigurationErrors(diagnostics: [
          Diagnostic(
            file: path, line: nil, problem: "the file cannot be read: \(error.reason)",
            remedy: "check its path and permissions")
        ]))
    }
  }

  /// Reads a text as if it were a file.
  ///
  /// - Parameter file: the name that diagnostics carry.
  package static func load(
    text: String, file: String, environment: (String) -> String? = processEnvironment
  ) -> Result<LoadedConfiguration, ConfigurationErrors> {
    load(octets: Array(text.utf8), file: file, environment: environment)
  }

  /// Reads octets, of any kind, as if they were a file's.
  package static func load(
    octets: [UInt8], file: String, environment: (String) -> String? = processEnvironment
  ) -> Result<LoadedConfiguration, ConfigurationErrors> {
    let scanned = withoutActuallyEscaping(environment) {
      Scanner.scan(octets, file: file, environment: $0)
    }
    if !scanned.problems.isEmpty {
      return .failure(ConfigurationErrors(diagnostics: diagnostics(ofMended: scanned, file: file)))
    }
    let (body, failure) = Parser.parse(scanned)
    let raw = RawConfiguration(file: file, body: body, isComplete: failure == nil)
    let complaint = failure.map { SyntaxError.diagnostic($0.text, file: file, line: $0.line) }
    return Resolver.resolve(raw, found: scanned.unresolved + (complaint.map { [$0] } ?? []))
  }

  /// All that is wrong with a text that had to be mended. On a line that was, nothing else is reported.
  private static func diagnostics(ofMended scanned: ScannedText, file: String) -> [Diagnostic] {
    let found = scanned.problems + scanned.unresolved
    guard scanned.isReadable else { return Diagnostic.sorted(found) }
    let raw = RawConfiguration(file: file, body: Parser.parse(scanned).body, isComplete: false)
    guard case .failure(let errors) = Resolver.resolve(raw) else { return Diagnostic.sorted(found) }
    let lines = Set(scanned.problems.map(\.line))
    return Diagnostic.sorted(found + errors.diagnostics.filter { !lines.contains($0.line) })
  }

  /// A variable of the process; nil when it is unset or not UTF-8.
  package static func processEnvironment(_ name: String) -> String? {
    getenv(name).flatMap { String(validatingCString: $0) }
  }
}
