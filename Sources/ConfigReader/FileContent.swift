import Glibc

/// Why a file could not be read: the system's text for it.
struct FileError: Error, Equatable {
  var reason: String
}

enum FileContent {
  /// - Returns: the file's octets, or its first `limit` and one more when it is longer.
  static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(reason: String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while content.count <= limit {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw FileError(reason: String(cString: strerror(errno))) }
      if count == 0 { break }
      content += chunk.prefix(min(count, limit + 1 - content.count))
    }
    return content
  }
}
