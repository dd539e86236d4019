package import GatewayConfig
import Glibc
import TLSEngine

/// The files that a configuration names, read as `serve` reads them; `check` does the same and starts nothing.
package enum StartFiles {
  /// Verifies all of them: certificates, their keys, authorities, and that logs can be written.
  package static func check(_ configuration: Configuration) throws(Gateway.StartError) {
    _ = try read(configuration)
    try checkLog(configuration.accessLog, "access_log")
    try checkLog(configuration.errorLog, "error_log")
  }

  /// - Returns: the TLS context of each listener; nil for a plain one.
  static func read(_ configuration: Configuration) throws(Gateway.StartError) -> [ServerContext?] {
    if let caFile = configuration.upstreamCAFile {
      do {
        try TrustFile.check(caFile)
      } catch {
        throw Gateway.StartError(
          description: "upstream_ca_file \(caFile): not a readable PEM file of authorities (\(error.reason))")
      }
    }
    return try contexts(configuration)
  }

  private static func contexts(_ configuration: Configuration) throws(Gateway.StartError) -> [ServerContext?]
  {
    var contexts: [ServerContext?] = []
    for listener in configuration.listeners {
      guard let certificate = listener.certificate, let key = listener.certificateKey else {
        contexts.append(nil)
        continue
      }
      do {
        contexts.append(try ServerContext(certificateFile: certificate, keyFile: key))
      } catch {
        throw Gateway.StartError(description: describe(error, certificate, key))
      }
    }
    return contexts
  }

  private static func describe(_ error: TLSError, _ certificate: String, _ key: String) -> String {
    switch error.code {
    case .certificateUnreadable:
      "certificate \(certificate): not a readable PEM chain, the leaf first (\(error.reason))"
    case .keyUnreadable:
      "certificate_key \(key): not a readable, unencrypted PEM key (\(error.reason))"
    case .keyDoesNotMatch:
      "certificate_key \(key) does not belong to certificate \(certificate) (\(error.reason))"
    case .authoritiesUnreadable:
      "not a readable PEM file of authorities (\(error.reason))"
    case .contextFailed:
      "OpenSSL could not be started (\(error.reason))"
    }
  }

  /// Makes no file: whoever checks may not be the one who serves.
  private static func checkLog(_ destination: LogDestination, _ name: String) throws(Gateway.StartError) {
    guard case .file(let path) = destination else { return }
    let directory = path.split(separator: "/").dropLast().joined(separator: "/")
    let isThere = access(path, F_OK) == 0
    let parent = path.hasPrefix("/") ? "/" + directory : directory.isEmpty ? "." : directory
    guard access(isThere ? path : parent, W_OK) != 0 else { return }
    throw Gateway.StartError(description: "\(name) \(path): \(String(cString: strerror(errno)))")
  }
}
