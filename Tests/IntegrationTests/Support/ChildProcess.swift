import Glibc
import ScriptedPeers

/// A program that a test runs, its output kept in files.
final class ChildProcess {
  enum Failure: Error, CustomStringConvertible {
    case notStarted(String, Int32)
    case tookTooLong(String, output: String)

    var description: String {
      switch self {
      case .notStarted(let path, let number): "\(path): \(String(cString: strerror(number)))"
      case .tookTooLong(let path, let output): "\(path) did not end in time; it said: \(output)"
      }
    }
  }

  struct Outcome {
    /// The exit code; 128 and the signal's number when a signal ended it.
    let code: Int32
    let output: String
    let errors: String
  }

  let process: pid_t
  private let name: String
  private let directory: String
  private var outcome: Outcome?

  /// - Parameters:
  ///   - arguments: the program's path first.
  ///   - environment: set besides our own.
  init(_ arguments: [String], environment: [String: String] = [:]) throws {
    name = arguments[0]
    directory = try TemporaryDirectory.make()
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The peers ignore SIGPIPE; a program decides for itself.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    sigaddset(&defaults, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    for (descriptor, file) in [(STDOUT_FILENO, "stdout"), (STDERR_FILENO, "stderr")] {
      posix_spawn_file_actions_addopen(
        &actions, descriptor, "\(directory)/\(file)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    }
    var words = arguments.map { strdup($0) } + [nil]
    var settings = ChildProcess.ownEnvironment.filter { setting in
      !environment.keys.contains { setting.hasPrefix("\($0)=") }
    }
    settings += environment.map { "\($0.key)=\($0.value)" }
    var variables = settings.map { strdup($0) } + [nil]
    defer { for pointer in words + variables { free(pointer) } }
    var child = pid_t()
    let status = posix_spawn(&child, arguments[0], &actions, &attributes, &words, &variables)
    guard status == 0 else { throw Failure.notStarted(name, status) }
    process = child
  }

  deinit {
    guard outcome == nil else { return }
    kill(process, SIGKILL)
    var status: Int32 = 0
    waitpid(process, &status, 0)
  }

  /// Runs a program to its end.
  static func run(
    _ arguments: [String], environment: [String: String] = [:], within duration: Duration = .seconds(60)
  ) throws -> Outcome {
    try ChildProcess(arguments, environment: environment).wait(within: duration)
  }

  /// What it has written so far.
  var output: String { text("stdout") }
  var errors: String { text("stderr") }

  func wait(within duration: Duration = .seconds(60)) throws -> Outcome {
    let deadline = Deadline(within: duration)
    while !deadline.isPast {
      if let ended = ended() { return ended }
      usleep(5_000)
    }
    throw Failure.tookTooLong(name, output: output + errors)
  }

  /// The outcome, when it has ended.
  func ended() -> Outcome? {
    if let outcome { return outcome }
    var status: Int32 = 0
    guard waitpid(process, &status, WNOHANG) == process else { return nil }
    let signal = status & 0x7F
    outcome = Outcome(code: signal == 0 ? status >> 8 & 0xFF : 128 + signal, output: output, errors: errors)
    return outcome
  }

  private func text(_ file: String) -> String {
    String(decoding: Files.octets("\(directory)/\(file)") ?? [], as: UTF8.self)
  }

  private static var ownEnvironment: [String] {
    var settings: [String] = []
    var entry = environ
    while let setting = entry.pointee {
      settings.append(String(cString: setting))
      entry += 1
    }
    return settings
  }
}

/// What tests need of the file system.
enum Files {
  /// The content of a file; nil when it can't be read.
  static func octets(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "rbe") else { return nil }
    defer { fclose(file) }
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { return result }
      result += buffer[..<count]
    }
  }

  /// A program that was built beside the tests.
  static func built(_ name: String) -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let own = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return own.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/" + name
  }

  /// Where a program is found in PATH; nil when it is not.
  static func inPath(_ name: String) -> String? {
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    return path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }
}
