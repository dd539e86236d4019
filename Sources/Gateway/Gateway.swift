import CLinux
import Downstream
import EventLoop
package import GatewayConfig
import Glibc
import TLSEngine
import Telemetry

/// A running gateway: a configuration turned into workers. Rules T to X are kept below here; this starts and stops.
package final class Gateway: Sendable {
  package struct StartError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong and what would be right.
    package let description: String
  }

  private let workers: [Worker]
  private let eventLog: LogOutput?
  /// The port of each listener, in the configuration's order; tells what port 0 became.
  package let ports: [UInt16]

  /// Opens files and sockets, then starts the workers. Nothing is left open after an error.
  package init(_ configuration: Configuration) throws(StartError) {
    _ = signal(SIGPIPE, SIG_IGN)
    Gateway.raiseDescriptorLimit()
    let accessLog = try Gateway.output(configuration.accessLog, "access_log")
    let eventLog = try Gateway.output(configuration.errorLog, "error_log")
    let contexts = try StartFiles.read(configuration)
    let count = configuration.workers > 0 ? configuration.workers : Int(octet_available_processors())
    let opened = try Gateway.openSockets(configuration, workers: count)
    ports = opened.ports
    let gate = ConnectionGate(limit: configuration.limits.connections)
    var workers: [Worker] = []
    for number in 0..<count {
      let sockets = opened.sockets[number].enumerated().map { ($0.element, contexts[$0.offset]) }
      let plan = WorkerPlan(
        number: number, workers: count, settings: configuration.serviceSettings,
        origins: configuration.originSettings, sockets: sockets, access: accessLog, events: eventLog,
        gate: gate,
        drainMilliseconds: configuration.timeouts.drain)
      do {
        workers.append(try Worker(plan))
      } catch {
        throw StartError(description: "\(error.call): \(String(cString: strerror(error.code)))")
      }
    }
    self.workers = workers
    self.eventLog = eventLog
    for worker in workers { worker.start() }
    var fields = [("version", Version.text), ("workers", "\(count)")]
    for (listener, port) in zip(configuration.listeners, ports) {
      fields.append(
        (
          "listen_\(fields.count - 1)",
          "\(listener.address) port \(port)\(listener.certificate == nil ? "" : ", TLS")"
        ))
    }
    announce("serving", fields)
  }

  /// Stops accepting and lets running exchanges finish within the drain time; returns when all workers have ended.
  package func drainAndStop() {
    announce("draining: no new connections, running exchanges finish")
    for worker in workers { worker.drain() }
    for worker in workers { worker.join() }
    announce("stopped")
  }

  /// What concerns the whole process; the rest is said by the worker that it happens to.
  private func announce(_ text: StaticString, _ fields: [(String, String)] = []) {
    let telemetry = Telemetry(access: nil, events: eventLog, clock: WallClock())
    telemetry.event(.information, text, fields)
    telemetry.flush()
  }

  // MARK: Starting

  private static func openSockets(
    _ configuration: Configuration, workers: Int
  ) throws(StartError) -> (sockets: [[Int32]], ports: [UInt16]) {
    var ports = configuration.listeners.map(\.port)
    var sockets = [[Int32]](repeating: [], count: workers)
    for worker in 0..<workers {
      for (index, listener) in configuration.listeners.enumerated() {
        do {
          let descriptor = try ListeningSocket.open(
            address: listener.address, port: ports[index], isFirst: worker == 0)
          sockets[worker].append(descriptor)
          if ports[index] == 0 { ports[index] = octet_local_port(descriptor) }
        } catch {
          for descriptor in sockets.joined() { _ = close(descriptor) }
          throw StartError(
            description: "listen \(listener.address) port \(listener.port): \(error.call): \(error.reason)")
        }
      }
    }
    return (sockets, ports)
  }

  private static func output(_ destination: LogDestination, _ name: String) throws(StartError) -> LogOutput? {
    switch destination {
    case .off: return nil
    case .standardOutput: return LogOutput(descriptor: STDOUT_FILENO)
    case .standardError: return LogOutput(descriptor: STDERR_FILENO)
    case .file(let path):
      guard let output = LogOutput.file(path) else {
        throw StartError(description: "\(name) \(path): \(systemReason())")
      }
      return output
    }
  }

  private static func systemReason() -> String { String(cString: strerror(errno)) }

  /// Each exchange needs two descriptors; the soft limit is often 1024.
  private static func raiseDescriptorLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
