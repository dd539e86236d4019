import CLinux
import COpenSSL
import Glibc

/// One connection, in the clear or over TLS, used by one thread; ``interrupt()`` may come from any other.
final class Channel: @unchecked Sendable {
  /// What one read gave.
  enum ReadOutcome {
    case octets([UInt8])
    case end(ConnectionEnd)
    case timedOut
  }

  let descriptor: Int32
  private(set) var ssl: OpaquePointer?
  private let isClosed = Monitor(false)

  /// Takes over `descriptor`.
  init(_ descriptor: Int32) {
    _ = ignoreBrokenPipes
    self.descriptor = descriptor
  }

  deinit { closeAtOnce() }

  /// Puts TLS on the connection; the handshake has yet to be made.
  func attach(_ ssl: OpaquePointer) {
    self.ssl = ssl
    SSL_set_fd(ssl, descriptor)
    _ = octet_ssl_set_mode(ssl, Int(SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER))
  }

  /// Runs one OpenSSL call until it is done; its result, or nil and why not.
  func drive(
    _ deadline: Deadline, _ call: (OpaquePointer) -> Int32
  ) -> (result: Int32, failure: Failure?) {
    guard let ssl else { return (0, .end(.reset)) }
    while true {
      ERR_clear_error()
      errno = 0
      let result = call(ssl)
      if result > 0 { return (result, nil) }
      let number = errno
      switch SSL_get_error(ssl, result) {
      case SSL_ERROR_WANT_READ:
        guard awaitReadiness(descriptor, POLLIN, deadline) else { return (result, .timedOut) }
      case SSL_ERROR_WANT_WRITE:
        guard awaitReadiness(descriptor, POLLOUT, deadline) else { return (result, .timedOut) }
      case SSL_ERROR_ZERO_RETURN: return (result, .end(.clean))
      case SSL_ERROR_SYSCALL:
        return (result, .end(number == ECONNRESET || number == EPIPE ? .reset : .withoutCloseNotify))
      default:
        let code = ERR_peek_error()
        if octet_error_is_unexpected_end(code) != 0 { return (result, .end(.withoutCloseNotify)) }
        return (result, .end(.tlsError(TLSContext.reason(code))))
      }
    }
  }

  /// Why an OpenSSL call did not succeed.
  enum Failure: Equatable {
    case timedOut
    case end(ConnectionEnd)
  }

  /// Reads what is there, at most `count` octets, waiting for the first.
  func read(_ count: Int = 65_536, _ deadline: Deadline) -> ReadOutcome {
    // The number of a closed descriptor may belong to another connection by now.
    guard !isClosed.read({ $0 }) else { return .end(.reset) }
    var octets = [UInt8](repeating: 0, count: count)
    if ssl != nil {
      let (result, failure) = octets.withUnsafeMutableBytes { buffer in
        drive(deadline) { SSL_read($0, buffer.baseAddress, Int32(clamping: count)) }
      }
      switch failure {
      case nil: return .octets(Array(octets.prefix(Int(result))))
      case .timedOut: return .timedOut
      case .end(let end): return .end(end)
      }
    }
    while true {
      let got = octet_receive(descriptor, &octets, count)
      if got > 0 { return .octets(Array(octets.prefix(got))) }
      if got == 0 { return .end(.clean) }
      guard errno == EAGAIN || errno == EINTR else { return .end(.reset) }
      guard awaitReadiness(descriptor, POLLIN, deadline) else { return .timedOut }
    }
  }

  /// Writes all of `octets`, or throws when the deadline or the end of the connection comes first.
  func write(_ octets: [UInt8], _ deadline: Deadline) throws(PeerError) {
    guard !isClosed.read({ $0 }) else { throw .ended(.reset) }
    var offset = 0
    while offset < octets.count {
      let failure: Failure?
      if ssl != nil {
        let (result, reason) = octets.withUnsafeBytes { buffer in
          drive(deadline) {
            SSL_write($0, buffer.baseAddress?.advanced(by: offset), Int32(clamping: octets.count - offset))
          }
        }
        failure = reason
        if reason == nil { offset += Int(result) }
      } else {
        let sent = octets.withUnsafeBytes {
          octet_send(descriptor, $0.baseAddress?.advanced(by: offset), octets.count - offset)
        }
        if sent >= 0 {
          failure = nil
          offset += sent
        } else if errno == EAGAIN || errno == EINTR {
          failure = awaitReadiness(descriptor, POLLOUT, deadline) ? nil : .timedOut
        } else {
          failure = .end(.reset)
        }
      }
      switch failure {
      case nil: break
      case .timedOut: throw .timedOut("sending octet \(offset) of \(octets.count)")
      case .end(let end): throw .ended(end)
      }
    }
  }

  /// Sends close_notify; nothing in the clear.
  func sendCloseNotify() {
    guard let ssl else { return }
    ERR_clear_error()
    _ = SSL_shutdown(ssl)
  }

  /// Sends FIN; reading goes on.
  func sendEnd() {
    isClosed.read { if !$0 { _ = shutdown(descriptor, Int32(SHUT_WR)) } }
  }

  /// Ends every wait on the connection, from any thread.
  func interrupt() {
    isClosed.read { closed in
      if !closed { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  /// Closes with a reset.
  func reset() {
    isClosed.read { if !$0 { _ = octet_reset_on_close(descriptor) } }
    closeAtOnce()
  }

  /// Closes the descriptor; the kernel sends RST instead of FIN when octets were left unread.
  func closeAtOnce() {
    isClosed.change { closed in
      guard !closed else { return }
      closed = true
      if let ssl { SSL_free(ssl) }
      ssl = nil
      _ = close(descriptor)
    }
  }
}
