import COpenSSL

/// What one read or write came to. "Want more" is not an error.
package enum StreamResult: Equatable, Sendable {
  case octets(Int)
  /// Nothing more until the kernel says so.
  case wouldBlock
  /// The peer ended its side; `cleanly` when it said so (close_notify; FIN on a plain connection).
  case ended(cleanly: Bool)
  case failed
}

/// One TLS connection over a socket. Owns its `SSL *` unless libcurl does.
package final class TLSSession {
  package enum Handshake: Equatable, Sendable {
    case done
    case wouldBlock
    /// For people: OpenSSL's reasons.
    case failed(String)
  }

  private let raw: OpaquePointer
  private let state: UnsafeMutablePointer<SocketState>
  private let isOwner: Bool

  /// The server's side of a connection that has just been accepted.
  package init?(accepting descriptor: Int32, context: ServerContext) {
    ERR_clear_error()
    guard let session = SSL_new(context.raw) else { return nil }
    guard let made = SocketBIO.make(descriptor: descriptor) else {
      SSL_free(session)
      return nil
    }
    raw = session
    state = made.state
    isOwner = true
    SSL_set_bio(session, made.bio, made.bio)
    SSL_set_accept_state(session)
  }

  /// A connection on which another library has made the handshake, and which it will free. Octets go through our BIO
  /// from here on.
  package init?(adopting session: UnsafeMutableRawPointer, descriptor: Int32) {
    guard let made = SocketBIO.make(descriptor: descriptor) else { return nil }
    raw = OpaquePointer(session)
    state = made.state
    isOwner = false
    SSL_set_bio(raw, made.bio, made.bio)
    SessionModes.apply(toSession: raw)
  }

  deinit {
    if isOwner { SSL_free(raw) }
  }

  /// The kernel says that octets, or the end, have come.
  package func becameReadable(peerEnded: Bool) {
    state.pointee.isDrained = false
    if peerEnded { state.pointee.peerEnded = true }
  }

  /// Whether a read may bring something without the kernel's word: the last one did not empty the socket.
  package var mayHaveMore: Bool { !state.pointee.isDrained || SSL_has_pending(raw) == 1 }

  /// `TLSv1.2` or `TLSv1.3`.
  package var version: String { String(cString: SSL_get_version(raw)) }

  package func handshake() -> Handshake {
    ERR_clear_error()
    let result = SSL_do_handshake(raw)
    if result == 1 { return .done }
    switch SSL_get_error(raw, result) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
      return .wouldBlock
    default:
      return .failed(TLSError.drainQueue())
    }
  }

  package func read(into octets: UnsafeMutableRawBufferPointer) -> StreamResult {
    ERR_clear_error()
    let count = Int32(truncatingIfNeeded: min(octets.count, Int(Int32.max)))
    let result = SSL_read(raw, octets.baseAddress, count)
    if result > 0 { return .octets(Int(result)) }
    switch SSL_get_error(raw, result) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
      return .wouldBlock
    case SSL_ERROR_ZERO_RETURN:
      return .ended(cleanly: true)
    default:
      ERR_clear_error()
      return state.pointee.sawEnd ? .ended(cleanly: false) : .failed
    }
  }

  package func write(_ octets: UnsafeRawBufferPointer) -> StreamResult {
    ERR_clear_error()
    let count = Int32(truncatingIfNeeded: min(octets.count, Int(Int32.max)))
    let result = SSL_write(raw, octets.baseAddress, count)
    if result > 0 { return .octets(Int(result)) }
    switch SSL_get_error(raw, result) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
      return .wouldBlock
    default:
      ERR_clear_error()
      return .failed
    }
  }

  // MARK: Several records in one call

  /// From here on, records are collected until `endBatch`, or until four of them are there.
  package func beginBatch() { state.pointee.isBatching = true }

  package var isBatching: Bool { state.pointee.isBatching }

  /// Octets of records that are finished and not sent.
  package var stagedCount: Int { state.pointee.staged.count }

  /// Sends what was collected, as far as the socket takes it; the rest goes before anything that is written later.
  /// - Returns: false when the connection failed.
  package func endBatch() -> Bool {
    state.pointee.isBatching = false
    guard state.pointee.staged.count > 0 else { return true }
    if !state.pointee.staged.send(to: state.pointee.descriptor) { state.pointee.failed = true }
    return !state.pointee.failed
  }

  /// Sends close_notify, once, if the connection still can.
  package func sendCloseNotify() {
    guard !state.pointee.failed, SSL_is_init_finished(raw) == 1 else { return }
    ERR_clear_error()
    _ = SSL_shutdown(raw)
    ERR_clear_error()
  }

  /// Leaves the peer without close_notify: what it has does not look whole.
  package func forgetCloseNotify() {
    SSL_set_quiet_shutdown(raw, 1)
  }
}
