/// What one request's log line says. No header, no content, no path beyond the route's own, no query (rule L1).
package struct AccessEntry {
  package var connection = 0
  package var request = 0
  /// The route's configured path; nil when there was no match.
  package var route: String?
  package var method: [UInt8] = []
  /// What the client was sent; 0 when its connection was reset or lost before a head.
  package var status = 0
  /// Content octets that came from the client and that went to it.
  package var requestOctets = 0
  package var responseOctets = 0
  package var totalNanoseconds: Int64 = 0
  /// From the request's start upstream to the final head; nil when there was none.
  package var upstreamNanoseconds: Int64?
  package var upstreamReused: Bool?
  package var tlsVersion: String?
  /// The contract's rule by which a request was refused.
  package var rule: String?
  /// The proxy error type, or how the exchange broke off.
  package var error: String?

  package init() {}
}

/// Writes access and event lines with one clock. Lives on one worker.
package final class Telemetry {
  private let access: LogBuffer?
  private let events: LogBuffer?
  private let clock: WallClock
  private var storage: [UInt8] = []

  package init(access: LogOutput?, events: LogOutput?, clock: WallClock) {
    self.access = access.map(LogBuffer.init)
    self.events = events.map(LogBuffer.init)
    self.clock = clock
  }

  /// Whether a line would be written: to the access log, or, where there is none, a refusal's or a failure's to the
  /// events (rule L1: every refusal is logged).
  package func wants(_ entry: AccessEntry) -> Bool {
    access != nil || (events != nil && (entry.rule != nil || entry.error != nil))
  }

  package func log(_ entry: AccessEntry) {
    guard let output = access ?? events else { return }
    var line = JSONLine(reusing: storage)
    line.add("time", clock.rfc3339)
    if access == nil {
      line.add("level", "warning")
      line.add("event", entry.rule == nil ? "request failed" : "request refused")
    }
    line.add("connection", entry.connection)
    line.add("request", entry.request)
    if let route = entry.route { line.add("route", route) }
    line.add("method", entry.method.prefix(32))
    line.add("status", entry.status)
    line.add("request_octets", entry.requestOctets)
    line.add("response_octets", entry.responseOctets)
    if let upstream = entry.upstreamNanoseconds { line.addMilliseconds("upstream_ms", upstream) }
    line.addMilliseconds("total_ms", entry.totalNanoseconds)
    if let reused = entry.upstreamReused { line.add("upstream_reused", reused) }
    if let version = entry.tlsVersion { line.add("tls", version) }
    if let rule = entry.rule { line.add("rule", rule) }
    if let error = entry.error { line.add("error", error) }
    line.finish()
    output.append(line.octets)
    storage = line.octets
  }

  package enum Level: String {
    case information, warning, error
  }

  /// A line for the operator: a constant text, variables as fields.
  package func event(_ level: Level, _ text: StaticString, _ fields: [(String, String)] = []) {
    guard let events else { return }
    var line = JSONLine()
    line.add("time", clock.rfc3339)
    line.add("level", level.rawValue)
    line.add("event", text)
    for (name, value) in fields { line.add(named: name, value) }
    line.finish()
    events.append(line.octets)
  }

  package func flush() {
    access?.flush()
    events?.flush()
  }
}
