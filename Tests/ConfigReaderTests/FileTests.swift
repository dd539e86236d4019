import ConfigReader
import Foundation
import GatewayConfig
import Testing

@Suite("Reading from disk")
struct FileTests {
  private func problem(_ path: String) -> String {
    guard case .failure(let errors) = ConfigReader.load(path: path, environment: { _ in nil }) else {
      return "none"
    }
    return errors.description
  }

  @Test("says why a file cannot be read") func unreadable() {
    #expect(
      problem("/no/such/gateway.conf")
        == "/no/such/gateway.conf: error: the file cannot be read: No such file or directory; "
        + "check its path and permissions")
    #expect(problem("/").hasPrefix("/: error: the file cannot be read: Is a directory;"))
  }

  @Test("stops reading a file without end") func endless() {
    #expect(problem("/dev/zero").hasPrefix("/dev/zero:1: error: the file is over 1MiB;"))
  }

  @Test("takes variables from the process by default") func processEnvironment() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "gateway-\(UUID()).conf")
    defer { try? FileManager.default.removeItem(at: file) }
    try "listen \"127.0.0.1:1\" { }\nroute \"/\" { upstream = \"https://h/\" }\naccess_log = \"${PATH:+}\"\n"
      .write(to: file, atomically: true, encoding: .utf8)
    #expect(problem(file.path).contains("does not name a variable"))
    try "listen \"127.0.0.1:1\" { }\nroute \"/\" { upstream = \"https://h/\" }\nupstream_ca_file = ${PATH}\n"
      .write(to: file, atomically: true, encoding: .utf8)
    let loaded = try ConfigReader.load(path: file.path).get()
    #expect(loaded.configuration.upstreamCAFile == ProcessInfo.processInfo.environment["PATH"])
  }
}
