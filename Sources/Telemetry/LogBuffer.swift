import CLinux
import Glibc

/// Where lines go. Opened once; each worker writes to it through a buffer of its own.
package struct LogOutput: Sendable {
  let descriptor: Int32

  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// - Returns: nil, with `errno` set, when the file can't be opened for appending.
  package static func file(_ path: String) -> LogOutput? {
    let descriptor = octet_open_append(path)
    return descriptor < 0 ? nil : LogOutput(descriptor: descriptor)
  }
}

/// One worker's lines on their way out: many lines a write, whole lines only, never a wait.
///
/// A file takes all at once. A pipe that nobody reads is asked first and then holds lines up, to a bound; lines beyond
/// it are dropped and counted, since a stuck log must not stop the traffic.
package final class LogBuffer {
  private let output: LogOutput
  private let isRegularFile: Bool
  private var octets: [UInt8] = []
  private var dropped = 0

  private static let bound = 1 << 20
  /// What a pipe takes in one piece. pipe(7), PIPE_BUF.
  private static let atomicSize = 4096

  package init(_ output: LogOutput) {
    self.output = output
    var status = stat()
    isRegularFile = fstat(output.descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  deinit { flush() }

  package func append(_ line: [UInt8]) {
    guard octets.count + line.count <= LogBuffer.bound else {
      dropped += 1
      return
    }
    octets.append(contentsOf: line)
  }

  /// Writes what can be written now.
  package func flush() {
    if octets.isEmpty { return }
    if dropped > 0, octets.count < LogBuffer.bound / 2 {
      var line = JSONLine()
      line.add("level", "warning")
      line.add("event", "log lines dropped: the log's reader is too slow")
      line.add("dropped", dropped)
      line.finish()
      octets.append(contentsOf: line.octets)
      dropped = 0
    }
    var written = 0
    while written < octets.count {
      let count = isRegularFile ? octets.count - written : pipeShare(from: written)
      guard isRegularFile || canWrite else { break }
      let result = octets.withUnsafeBytes {
        write(output.descriptor, $0.baseAddress.map { $0 + written }, count)
      }
      if result < 0 {
        if errno == EINTR { continue }
        if errno != EAGAIN { written = octets.count }  // A full disk or a closed pipe: these lines are lost.
        break
      }
      written += result
    }
    if written == octets.count {
      octets.removeAll(keepingCapacity: octets.capacity <= 65_536)
    } else {
      octets.removeFirst(written)
    }
  }

  /// Whole lines from there on, as many as fit a piece.
  private func pipeShare(from start: Int) -> Int {
    let limit = min(octets.count, start + LogBuffer.atomicSize)
    var end = limit
    while end > start, octets[end - 1] != 0x0A { end -= 1 }
    return end > start ? end - start : limit - start
  }

  private var canWrite: Bool {
    var request = pollfd(fd: output.descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&request, 1, 0) == 1 && request.revents & Int16(POLLOUT) != 0
  }
}
