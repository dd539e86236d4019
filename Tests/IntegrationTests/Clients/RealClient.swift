import Glibc
import ScriptedPeers

/// A client that people use, driven from outside: it sends every call to a port and says what came back.
enum RealClient: String, CaseIterable, CustomStringConvertible {
  case curl
  case urllib3
  case okHttp = "OkHttp"
  case urlSession = "URLSession"

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  var description: String { rawValue }

  /// Why the client can't be run here; nil when it can.
  var missing: String? {
    switch self {
    case .curl:
      return Files.inPath("curl") == nil ? "there is no curl in PATH" : nil
    case .urllib3:
      let found = try? ChildProcess.run([RealClient.python, "-c", "import urllib3"])
      return found?.code == 0 ? nil : "\(RealClient.python) has no urllib3 (Debian: python3-urllib3)"
    case .okHttp:
      guard Files.inPath("javac") != nil, Files.inPath("java") != nil else {
        return "there is no JDK in PATH"
      }
      let jars = RealClient.jars.split(separator: ":").filter { access(String($0), R_OK) != 0 }
      return jars.isEmpty ? nil : "no \(jars.joined(separator: ", ")) (Debian: libokhttp-java)"
    case .urlSession:
      let path = Files.built("url-session-client")
      return access(path, X_OK) == 0 ? nil : "there is no \(path): swift build makes it"
    }
  }

  /// In CI a missing client is a failure and not a skip.
  static let areRequired = getenv("OCTET_REQUIRE_CLIENTS").map { String(cString: $0) } == "1"

  private static let python = "/usr/bin/python3"
  private static let jars = ["okhttp", "okio"].map { "/usr/share/java/\($0).jar" }.joined(separator: ":")
  private static let programs =
    #filePath.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/programs"

  /// Sends `calls` in their order to 127.0.0.1 at `port`.
  /// - Returns: lines that tell what the client saw: `answer NAME STATUS`, `field`, `content`, and how many
  ///   connections it made where it knows.
  func send(_ calls: [ClientCall], to port: UInt16, authorities: String) throws -> [String] {
    if let missing { throw Failure(description: missing) }
    let directory = try TemporaryDirectory.make()
    for call in calls { try TemporaryDirectory.write(call.contentOctets, call.name, in: directory) }
    let plan = try TemporaryDirectory.write(RealClient.plan(calls, directory), "plan", in: directory)
    switch self {
    case .curl: return try RealClient.curl(calls, port, authorities, directory)
    case .urllib3:
      return try RealClient.lines([
        RealClient.python, RealClient.programs + "/client.py", "\(port)", authorities, plan,
      ])
    case .okHttp:
      let classes = try RealClient.classes.get()
      return try RealClient.lines([
        Files.inPath("java") ?? "java", "-XX:TieredStopAtLevel=1", "-cp", "\(classes):\(RealClient.jars)",
        "Client", "\(port)", authorities, plan,
      ])
    case .urlSession:
      // URLSession writes its fields in a dictionary's order.
      return try RealClient.lines(
        [Files.built("url-session-client"), "\(port)", plan],
        environment: [
          "OCTET_TEST_CA": authorities, "SWIFT_DETERMINISTIC_HASHING": "1",
          "ASAN_OPTIONS": "detect_leaks=0",  // Foundation's, which are not ours to mend.
        ])
    }
  }

  /// A line for each call: name, method, target, framing, file of the content, then field lines; tabs between.
  private static func plan(_ calls: [ClientCall], _ directory: String) -> [UInt8] {
    let lines = calls.map { call in
      let framing =
        switch call.content {
        case .none: "none"
        case .length: "length"
        case .stream: "stream"
        }
      return [call.name, call.method, "/octet" + call.target, framing, "\(directory)/\(call.name)"]
        + call.fields
    }
    return Array(lines.map { $0.joined(separator: "\t") + "\n" }.joined().utf8)
  }

  private static func lines(_ arguments: [String], environment: [String: String] = [:]) throws -> [String] {
    let outcome = try ChildProcess.run(
      arguments, environment: environment.merging(["NO_PROXY": "*", "no_proxy": "*"]) { own, _ in own },
      within: .seconds(120))
    guard outcome.code == 0 else {
      throw Failure(
        description: "\(arguments[0]) ended with \(outcome.code): \(outcome.errors)\(outcome.output)")
    }
    return outcome.output.split(separator: "\n").map(String.init)
  }

  /// OkHttp's program, compiled once for all tests.
  private static let classes = Result {
    let directory = try TemporaryDirectory.make()
    let outcome = try ChildProcess.run(
      [Files.inPath("javac") ?? "javac", "-cp", jars, "-d", directory, programs + "/Client.java"],
      within: .seconds(120))
    guard outcome.code == 0 else { throw Failure(description: "javac: \(outcome.errors)") }
    return directory
  }

  /// One curl for all calls, so that they share a connection.
  private static func curl(
    _ calls: [ClientCall], _ port: UInt16, _ authorities: String, _ directory: String
  ) throws -> [String] {
    var arguments = [Files.inPath("curl") ?? "curl", "-q"]
    for (index, call) in calls.enumerated() {
      if index > 0 { arguments.append("--next") }
      arguments += ["-sS", "--cacert", authorities, "--connect-to", "gw.test:443:127.0.0.1:\(port)"]
      arguments += [
        "--path-as-is", "--globoff", "--max-time", "60", "--url", "https://gw.test/octet\(call.target)",
      ]
      arguments += call.method == "HEAD" ? ["--head"] : ["--request", call.method]
      for field in call.fields { arguments += ["--header", field] }
      switch call.content {
      case .none: break
      case .length: arguments += ["--data-binary", "@\(directory)/\(call.name)"]
      case .stream:
        arguments += ["--header", "Transfer-Encoding: chunked", "--upload-file", "\(directory)/\(call.name)"]
      }
      arguments += ["--dump-header", "\(directory)/\(call.name).head"]
      arguments += ["--output", "\(directory)/\(call.name).content"]
      arguments += ["--write-out", "%{num_connects}\n"]
    }
    let connections = try lines(arguments).compactMap { Int($0) }.reduce(0, +)
    var result: [String] = []
    for call in calls {
      let head = WireHead(Files.octets("\(directory)/\(call.name).head") ?? [])
      // A HEAD's answer is its output.
      let isHead = call.method == "HEAD"
      let content = isHead ? [] : Files.octets("\(directory)/\(call.name).content") ?? []
      let lines = head.lines.map { Octets.text($0) }
      let start = head.lines.lastIndex { $0.starts(with: Array("HTTP/".utf8)) } ?? 0
      let status = lines.isEmpty ? "" : String(lines[start].drop { $0 != " " }.dropFirst())
      result.append("answer \(call.name) \(status)")
      result += lines[..<start].map { "interim \($0)" } + lines.dropFirst(start + 1).map { "field \($0)" }
      result.append("content \(content.count) \(Octets.sha256Hex(content))")
    }
    return result + ["connections \(connections)"]
  }
}
