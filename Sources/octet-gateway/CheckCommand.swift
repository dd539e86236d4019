import Gateway
import GatewayConfig
import Glibc

/// `check`: the configuration is valid and its files are as `serve` needs them; with `--connect`, the upstreams answer
/// too. Exit code 1 when one does not, 78 when `serve` would not start.
enum CheckCommand {
  static func run(_ configuration: Configuration, connects: Bool) -> Int32 {
    do {
      try StartFiles.check(configuration)
    } catch {
      complain("octet-gateway: \(error)")
      return EX_CONFIG
    }
    let counts = [
      count(configuration.listeners.count, "listener"), count(configuration.routes.count, "route"),
    ]
    print("configuration is valid: \(counts.joined(separator: ", "))")
    guard connects else { return 0 }
    _ = signal(SIGPIPE, SIG_IGN)
    let checks = RouteCheck.all(configuration)
    for check in checks { print(check) }
    return checks.allSatisfy(\.succeeded) ? 0 : 1
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
  }
}
