package import GatewayConfig
import HTTPMessage

/// What holds for every upstream connection. Rules C2 to C4.
package struct OriginSettings: Sendable {
  /// PEM bundle; nil is the system's trust store.
  package var caFile: String?
  /// As curl's `--connect-to`, one rule a line.
  package var connectTo: [ConnectToRule]
  /// Whether a name may resolve to a loopback, private or link-local address.
  package var allowsPrivateAddresses: Bool
  package var connectTimeoutMilliseconds: Int
  package var keepAliveMilliseconds: Int
  package var maximumAgeMilliseconds: Int
  package var maximumIdle: Int

  package init(
    caFile: String? = nil, connectTo: [ConnectToRule] = [], allowsPrivateAddresses: Bool = false,
    connectTimeoutMilliseconds: Int = 10_000, keepAliveMilliseconds: Int = 4_000,
    maximumAgeMilliseconds: Int = 300_000, maximumIdle: Int = 1024
  ) {
    self.caFile = caFile
    self.connectTo = connectTo
    self.allowsPrivateAddresses = allowsPrivateAddresses
    self.connectTimeoutMilliseconds = connectTimeoutMilliseconds
    self.keepAliveMilliseconds = keepAliveMilliseconds
    self.maximumAgeMilliseconds = maximumAgeMilliseconds
    self.maximumIdle = maximumIdle
  }

  /// Whether private addresses are right for this origin: allowed for all, or written in the configuration as
  /// literals.
  func allowsPrivateAddresses(for origin: Origin) -> Bool {
    if allowsPrivateAddresses || PrivateAddress.isLiteral(origin.host) { return true }
    guard let rule = connectTo.first(where: { $0.matches(origin) }) else { return false }
    return PrivateAddress.isLiteral(rule.toHost)
  }
}

extension ConnectToRule {
  /// `HOST:PORT:CONNECT-TO-HOST:CONNECT-TO-PORT`, empty parts left empty.
  var curlText: String {
    let from = port.map(String.init) ?? ""
    let to = toPort.map(String.init) ?? ""
    return "\(Self.bracketed(host)):\(from):\(Self.bracketed(toHost)):\(to)"
  }

  func matches(_ origin: Origin) -> Bool {
    (host.isEmpty || host == origin.host) && (port == nil || port == origin.port)
  }

  private static func bracketed(_ host: String) -> String {
    host.utf8.contains(0x3A) ? "[\(host)]" : host
  }
}
