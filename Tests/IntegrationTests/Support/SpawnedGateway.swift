import CLinux
import Glibc
import ScriptedPeers
import Testing

/// The built `octet-gateway` as a process of its own, for what is measured of a process or done to one.
final class SpawnedGateway {
  let authority: ThrowawayAuthority
  let tlsPort: UInt16
  let plainPort: UInt16
  let process: pid_t
  let log: String
  /// Open descriptors before the first client; libcurl's pairs of this process, which are inherited, are among them.
  private(set) var initialDescriptorCount = 0
  private var status: Int32?

  /// - Parameters:
  ///   - descriptors: what `ulimit -n` is set to.
  ///   - environment: `NAME=value` besides the test's own.
  ///   - directives: more lines of the configuration file.
  init(
    api: ScriptedOrigin, descriptors: Int? = nil, environment: [String] = [], _ directives: String = ""
  ) throws {
    authority = try GatewayUnderTest.authority.get()
    tlsPort = try unusedPort()
    plainPort = try unusedPort()
    let certificate = try authority.issue("gw.test")
    let directory = try TemporaryDirectory.make()
    log = directory + "/access.log"
    let text = """
      prefix = "/octet"
      workers = 1
      listen "127.0.0.1:\(tlsPort)" {
        certificate = "\(certificate.chainFile)"
        certificate_key = "\(certificate.keyFile)"
      }
      listen "127.0.0.1:\(plainPort)" { }
      route "/v1/" { upstream = "https://api.octetproof.com/v1/" }
      upstream_ca_file = "\(authority.caFile)"
      connect_to = {"api.octetproof.com:443:127.0.0.1:\(api.port)"}
      access_log = "\(log)"
      error_log = "\(directory)/error.log"
      \(directives)

      """
    let file = try TemporaryDirectory.write(Array(text.utf8), "gateway.conf", in: directory)
    let limit = descriptors.map { "ulimit -n \($0); " } ?? ""
    process = try SpawnedGateway.spawn(
      ["/bin/sh", "-c", limit + "exec \"$0\" serve --config \"$1\"", try SpawnedGateway.program(), file],
      environment)
    let deadline = Deadline(within: .seconds(15))
    while true {
      if (try? RawClient(port: plainPort)) != nil { break }
      try #require(
        exitStatus(within: .zero) == nil && !deadline.isPast, "octet-gateway did not begin to listen")
      usleep(10_000)
    }
    // The client that knocked is gone, for a moment or two at the latest.
    _ = try plainClient().exchange(Ask.get("/nowhere"))
    var last = -1
    _ = eventually(within: .seconds(2)) {
      usleep(20_000)
      defer { last = descriptorCount }
      return descriptorCount == last
    }
    initialDescriptorCount = descriptorCount
  }

  deinit { if status == nil { kill(process, SIGKILL); _ = exitStatus(within: .seconds(5)) } }

  /// The program beside the test bundle.
  private static func program() throws -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let own = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    let path = own.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/octet-gateway"
    try #require(access(path, X_OK) == 0, "there is no \(path)")
    return path
  }

  private static func spawn(_ arguments: [String], _ environment: [String]) throws -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    sigemptyset(&defaults)
    sigaddset(&defaults, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var inherited: [String] = []
    var entry = environ
    while let text = entry.pointee {
      inherited.append(String(cString: text))
      entry += 1
    }
    var child = pid_t()
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = (inherited + environment).map { strdup($0) } + [nil]
    defer { for pointer in pointers + variables { free(pointer) } }
    let status = posix_spawn(&child, arguments[0], nil, &attributes, &pointers, &variables)
    try #require(status == 0)
    return child
  }

  func client() throws -> RawClient {
    try RawClient(port: tlsPort, tls: ClientTLS(caFile: authority.caFile, serverName: "gw.test"))
  }

  func plainClient(receiveBuffer: Int? = nil) throws -> RawClient {
    try RawClient(port: plainPort, receiveBuffer: receiveBuffer)
  }

  /// Octets of memory that are resident. proc(5), statm.
  var residentOctets: Int {
    let fields = text("/proc/\(process)/statm").split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
  }

  /// By how much `residentOctets` grew since it was `before`; 0 under a sanitizer, whose shadow and quarantine are
  /// resident too, and many times what the gateway has.
  func growth(since before: Int) -> Int { SpawnedGateway.hasSanitizer ? 0 : residentOctets - before }

  private static let hasSanitizer = ["__asan_init", "__tsan_init"].contains { (name: String) in
    dlsym(nil, name) != nil
  }

  /// Open descriptors.
  var descriptorCount: Int {
    guard let directory = opendir("/proc/\(process)/fd") else { return 0 }
    defer { closedir(directory) }
    var count = -2  // "." and ".."
    while readdir(directory) != nil { count += 1 }
    return count
  }

  /// A file's text; proc's files tell no size.
  func text(_ path: String) -> String {
    guard let file = fopen(path, "re") else { return "" }
    defer { fclose(file) }
    var octets: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = fread(&piece, 1, piece.count, file)
      if count == 0 { return String(decoding: octets, as: UTF8.self) }
      octets += piece[..<count]
    }
  }

  func terminate() { kill(process, SIGTERM) }

  /// The wait status, once the process has ended; 0 is exit code 0.
  func exitStatus(within duration: Duration = .seconds(10)) -> Int32? {
    let deadline = Deadline(within: duration)
    while status == nil {
      var found: Int32 = 0
      if waitpid(process, &found, WNOHANG) == process { status = found }
      if status != nil || deadline.isPast { break }
      usleep(5000)
    }
    return status
  }
}

/// Waits for what no peer reports, looking again every few milliseconds.
func eventually(within duration: Duration, _ condition: () throws -> Bool) rethrows -> Bool {
  let deadline = Deadline(within: duration)
  while true {
    if try condition() { return true }
    if deadline.isPast { return false }
    usleep(5000)
  }
}
