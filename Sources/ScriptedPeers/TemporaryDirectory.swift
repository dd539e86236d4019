import Glibc

/// A directory for PEM and configuration files, readable by the owner alone and removed when the process exits.
package enum TemporaryDirectory {
  private static let made = Monitor<[String]>([])
  private static let cleaning: Void = {
    atexit { TemporaryDirectory.removeAll() }
  }()

  /// Makes a new one and returns its path.
  package static func make() throws(PeerError) -> String {
    _ = cleaning
    var template = Array("/tmp/octet-peers-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw .system("mkdtemp", errno) }
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    made.change { $0.append(path) }
    return path
  }

  /// Writes `octets` as `name` in `directory`; returns the path.
  @discardableResult
  package static func write(_ octets: [UInt8], _ name: String, in directory: String) throws(PeerError)
    -> String
  {
    let path = directory + "/" + name
    guard let file = fopen(path, "wbe") else { throw .system("open \(path)", errno) }
    let written = fwrite(octets, 1, octets.count, file)
    guard fclose(file) == 0, written == octets.count else { throw .system("write \(path)", errno) }
    return path
  }

  private static func removeAll() {
    for directory in made.read({ $0 }) {
      if let stream = opendir(directory) {
        while let entry = readdir(stream) {
          let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
          }
          if name != ".", name != ".." { unlink(directory + "/" + name) }
        }
        closedir(stream)
      }
      rmdir(directory)
    }
  }
}
