import Glibc
import ScriptedPeers

/// The gateway as a child process, with a configuration written for the demo.
final class GatewayProcess {
  /// What kept it from running or from ending well.
  enum Failure: Error, CustomStringConvertible {
    case notFound(String)
    case notStarted(String, Int32)
    case ended(status: Int32)
    case neverListened
    case didNotStop

    var description: String {
      switch self {
      case .notFound(let path): "there is no \(path): build it first (swift build)"
      case .notStarted(let path, let number): "\(path): \(String(cString: strerror(number)))"
      case .ended(let status): "the gateway ended with wait status \(status)"
      case .neverListened: "the gateway did not listen within ten seconds"
      case .didNotStop: "the gateway did not stop within ten seconds of SIGTERM"
      }
    }
  }

  let port: UInt16
  private let process: pid_t
  private var hasEnded = false

  /// The program beside this one.
  static func path() -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let own = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return own.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/octet-gateway"
  }

  /// The configuration: the demo's routes, connected to the demo's upstreams.
  static func configuration(_ runner: DemoRunner, port: UInt16) throws -> String {
    let certificate = try runner.authority.issue(DemoCall.gatewayHost)
    let routes = DemoRoute.all.map { route in
      let thirdParty = route.isThirdParty ? " third_party = true" : ""
      return
        "route \"\(route.path)\" { upstream = \"https://\(route.upstreamHost)\(route.upstreamPath)\"\(thirdParty) }"
    }
    return """
      prefix = "\(DemoCall.prefix)"
      listen "127.0.0.1:\(port)" {
        certificate = "\(certificate.chainFile)"
        certificate_key = "\(certificate.keyFile)"
      }
      \(routes.joined(separator: "\n"))
      upstream_ca_file = "\(runner.authority.caFile)"
      connect_to = {"api.octetproof.com:443:127.0.0.1:\(runner.api.port)", \
      "cddis.nasa.gov:443:127.0.0.1:\(runner.archive.port)"}
      access_log = "off"

      """
  }

  /// Starts it and waits until it accepts connections.
  init(_ runner: DemoRunner) throws {
    let path = GatewayProcess.path()
    guard access(path, X_OK) == 0 else { throw Failure.notFound(path) }
    port = try unusedPort()
    let text = try GatewayProcess.configuration(runner, port: port)
    let file = try TemporaryDirectory.write(Array(text.utf8), "gateway.conf", in: runner.authority.directory)
    process = try GatewayProcess.spawn([path, "serve", "--config", file])
    try waitUntilListening()
  }

  private static func spawn(_ arguments: [String]) throws(Failure) -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The peers ignore SIGPIPE; the gateway must decide for itself.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    sigaddset(&defaults, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var child = pid_t()
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    let status = posix_spawn(&child, arguments[0], nil, &attributes, &pointers, environ)
    guard status == 0 else { throw .notStarted(arguments[0], status) }
    return child
  }

  private func waitUntilListening() throws {
    let deadline = Deadline(within: .seconds(10))
    while !deadline.isPast {
      if let client = try? RawClient(port: port) {
        client.close()
        return
      }
      if let status = exitStatus() { throw Failure.ended(status: status) }
      usleep(20_000)
    }
    kill(process, SIGKILL)
    throw Failure.neverListened
  }

  /// The wait status, when it has ended.
  private func exitStatus() -> Int32? {
    var status: Int32 = 0
    guard waitpid(process, &status, WNOHANG) == process else { return nil }
    hasEnded = true
    return status
  }

  /// Sends SIGTERM and waits for exit status 0.
  func stop() throws(Failure) {
    guard !hasEnded else { return }
    kill(process, SIGTERM)
    let deadline = Deadline(within: .seconds(10))
    while !deadline.isPast {
      if let status = exitStatus() {
        guard status == 0 else { throw .ended(status: status) }
        return
      }
      usleep(20_000)
    }
    kill(process, SIGKILL)
    throw .didNotStop
  }
}
