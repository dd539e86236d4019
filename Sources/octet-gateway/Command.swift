import ConfigReader
import Gateway
import GatewayConfig
import Glibc

/// The command line: what to do, and with which file. Exit codes as in sysexits(3): 64 for a bad command line, 78 for a
/// bad configuration.
enum Command {
  static let usage = """
    octet-gateway: a reverse proxy for the Octet SDK's traffic; exact or refused.

      octet-gateway serve --config FILE             serve until SIGTERM, then drain
      octet-gateway check --config FILE [--connect] validate FILE; with --connect, also reach every upstream
      octet-gateway config-reference [--example]    print the reference of all directives, or an example file
      octet-gateway --version | --help

    """

  static func run(_ arguments: [String]) -> Int32 {
    switch arguments.first {
    case "serve": withConfiguration(arguments.dropFirst(), options: []) { serve($0.configuration) }
    case "check":
      withConfiguration(arguments.dropFirst(), options: ["--connect"]) { loaded in
        CheckCommand.run(loaded.configuration, connects: arguments.contains("--connect"))
      }
    case "config-reference": printReference(arguments.dropFirst())
    case "--version", "version": say("octet-gateway \(Version.text)\n")
    case "--help", "-h", "help": say(usage)
    default: misuse(arguments.first.map { "unknown command '\($0)'" } ?? "no command given")
    }
  }

  private static func withConfiguration(
    _ arguments: ArraySlice<String>, options: Set<String>, _ body: (LoadedConfiguration) -> Int32
  ) -> Int32 {
    var path: String?
    var rest = Array(arguments)
    while let argument = rest.first {
      rest.removeFirst()
      if argument == "--config" {
        guard let value = rest.first, path == nil else { return misuse("--config needs one FILE") }
        path = value
        rest.removeFirst()
      } else if !options.contains(argument) {
        return misuse("unknown argument '\(argument)'")
      }
    }
    guard let path else { return misuse("--config FILE is missing") }
    switch ConfigReader.load(path: path) {
    case .success(let loaded):
      for warning in loaded.warnings { complain("\(warning)") }
      return body(loaded)
    case .failure(let errors):
      for diagnostic in errors.diagnostics { complain("\(diagnostic)") }
      return EX_CONFIG
    }
  }

  private static func serve(_ configuration: Configuration) -> Int32 {
    let signals = StopSignals()
    let gateway: Gateway
    do {
      gateway = try Gateway(configuration)
    } catch {
      complain("octet-gateway: \(error)")
      return EX_CONFIG
    }
    signals.wait()
    gateway.drainAndStop()
    return 0
  }

  private static func printReference(_ arguments: ArraySlice<String>) -> Int32 {
    switch Array(arguments) {
    case []: say(Reference.markdown())
    case ["--example"]: say(ExampleFile.text())
    default: misuse("config-reference takes --example or nothing")
    }
  }

  private static func say(_ text: String) -> Int32 {
    print(text, terminator: "")
    return 0
  }

  private static func misuse(_ problem: String) -> Int32 {
    complain("octet-gateway: \(problem)\n\n\(usage)")
    return EX_USAGE
  }
}

/// One line to standard error.
func complain(_ text: String) {
  let octets = Array((text + "\n").utf8)
  _ = octets.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
