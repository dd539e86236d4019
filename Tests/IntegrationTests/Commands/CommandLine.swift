import ScriptedPeers
import Testing

/// The built `octet-gateway` with a configuration file of its own.
struct GatewayCommand {
  static let program = Files.built("octet-gateway")
  let directory: String
  private(set) var file = ""

  init(_ configuration: String) throws {
    directory = try TemporaryDirectory.make()
    file = try TemporaryDirectory.write(Array(configuration.utf8), "gateway.conf", in: directory)
  }

  func check(_ options: String...) throws -> ChildProcess.Outcome {
    try ChildProcess.run([GatewayCommand.program, "check", "--config", file] + options)
  }

  func serve() throws -> ChildProcess {
    try ChildProcess([GatewayCommand.program, "serve", "--config", file])
  }

  /// A file of this command's directory.
  func write(_ text: String, _ name: String) throws -> String {
    try TemporaryDirectory.write(Array(text.utf8), name, in: directory)
  }

  /// A plain `listen`.
  static func listen(_ port: UInt16) -> String { "listen \"127.0.0.1:\(port)\" { }\n" }

  /// `listen` with TLS.
  static func listen(_ port: UInt16, certificate: String, key: String) -> String {
    """
    listen "127.0.0.1:\(port)" {
      certificate = "\(certificate)"
      certificate_key = "\(key)"
    }

    """
  }

  /// `route` to `https://HOST/v1/`, and to which port of this machine its connections go.
  static func route(_ path: String, _ host: String) -> String {
    "route \"\(path)\" { upstream = \"https://\(host)\(path)\" }\n"
  }

  static func connect(_ rules: [(host: String, port: UInt16)]) -> String {
    "connect_to = {" + rules.map { "\"\($0.host):443:127.0.0.1:\($0.port)\"" }.joined(separator: ", ") + "}\n"
  }
}
