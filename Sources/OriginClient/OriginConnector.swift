import CCurl
import CLinux
import EventLoop
import Exchange
import HTTPMessage

/// Runs libcurl's multi interface on a loop: connections in, sockets and TLS sessions out.
///
/// libcurl says which sockets it waits for while it connects; once a connection is made it waits for none.
final class OriginConnector: EventHandler {
  typealias Completion = (Result<EasyHandle, GatewayError>) -> Void

  private let loop: EventLoop
  private let multi: UnsafeMutableRawPointer
  private let share: UnsafeMutableRawPointer?
  private var timer = SourceID.none
  private var sockets: [curl_socket_t: CurlSocket] = [:]
  private var waiting: [UnsafeMutableRawPointer: (handle: EasyHandle, completion: Completion)] = [:]

  init?(loop: EventLoop) {
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    guard let multi = curl_multi_init() else { return nil }
    self.loop = loop
    self.multi = multi
    share = curl_share_init()
    // One thread uses the share, so it needs no locks. It lets TLS sessions be resumed by the next connection.
    octet_share_setopt_long(share, CURLSHOPT_SHARE, Int(CURL_LOCK_DATA_SSL_SESSION.rawValue))
    timer = loop.add(self)
    let context = Unmanaged.passUnretained(self).toOpaque()
    octet_multi_setopt_pointer(multi, CURLMOPT_SOCKETDATA, context)
    octet_multi_setopt_socket(multi) { _, socket, what, context, _ in
      guard let context else { return -1 }
      Unmanaged<OriginConnector>.fromOpaque(context).takeUnretainedValue().watch(socket, what)
      return 0
    }
    octet_multi_setopt_pointer(multi, CURLMOPT_TIMERDATA, context)
    octet_multi_setopt_timer(multi) { _, milliseconds, context in
      guard let context else { return -1 }
      Unmanaged<OriginConnector>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds)
      return 0
    }
  }

  deinit {
    for entry in waiting.values { curl_multi_remove_handle(multi, entry.handle.raw) }
    curl_multi_cleanup(multi)
    curl_share_cleanup(share)
  }

  /// - Returns: names the attempt for `cancel`; nil when there is no memory for it.
  func connect(
    to origin: Origin, _ settings: OriginSettings, _ completion: @escaping Completion
  ) -> UnsafeMutableRawPointer? {
    guard let handle = EasyHandle(origin, settings, share: share) else { return nil }
    guard curl_multi_add_handle(multi, handle.raw) == CURLM_OK else { return nil }
    waiting[handle.raw] = (handle, completion)
    return handle.raw
  }

  /// Gives up an attempt whose completion will then not be called.
  func cancel(_ attempt: UnsafeMutableRawPointer) {
    guard let entry = waiting.removeValue(forKey: attempt) else { return }
    curl_multi_remove_handle(multi, entry.handle.raw)
  }

  /// Closes a connection that was made: libcurl sends close_notify and closes the socket.
  func close(_ handle: EasyHandle) {
    curl_multi_remove_handle(multi, handle.raw)
  }

  // MARK: libcurl's wishes

  private func watch(_ socket: curl_socket_t, _ what: Int32) {
    if what == CURL_POLL_REMOVE {
      guard let entry = sockets.removeValue(forKey: socket) else { return }
      loop.unwatch(socket)
      loop.remove(entry.id)
      return
    }
    let interest: Interest =
      what == CURL_POLL_IN ? .reading : what == CURL_POLL_OUT ? .writing : .both
    if let entry = sockets[socket] {
      loop.change(socket, to: interest, by: entry.id)
      return
    }
    let entry = CurlSocket(socket: socket, connector: self)
    entry.id = loop.add(entry)
    sockets[socket] = entry
    do {
      try loop.watch(socket, for: interest, by: entry.id)
    } catch {
      loop.change(socket, to: interest, by: entry.id)
    }
  }

  private func setTimer(_ milliseconds: Int) {
    loop.setDeadline(milliseconds < 0 ? nil : loop.now + Int64(milliseconds) * 1_000_000, of: timer)
  }

  // MARK: Events

  func ready(_ readiness: Readiness) {}

  func deadlinePassed() { act(on: CURL_SOCKET_TIMEOUT, 0) }

  fileprivate func act(on socket: curl_socket_t, _ mask: Int32) {
    var running: Int32 = 0
    curl_multi_socket_action(multi, socket, mask, &running)
    takeResults()
  }

  private func takeResults() {
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let raw = message.pointee.easy_handle,
        let entry = waiting.removeValue(forKey: raw)
      else { continue }
      let code = message.pointee.data.result
      if code == CURLE_OK {
        entry.completion(.success(entry.handle))
      } else {
        let error = entry.handle.error(for: code)
        curl_multi_remove_handle(multi, raw)
        entry.completion(.failure(error))
      }
    }
  }
}

/// A socket that libcurl waits for.
private final class CurlSocket: EventHandler {
  let socket: curl_socket_t
  var id = SourceID.none
  private unowned let connector: OriginConnector

  init(socket: curl_socket_t, connector: OriginConnector) {
    self.socket = socket
    self.connector = connector
  }

  func ready(_ readiness: Readiness) {
    var mask: Int32 = 0
    if readiness.canRead { mask |= CURL_CSELECT_IN }
    if readiness.canWrite { mask |= CURL_CSELECT_OUT }
    if readiness.isGone { mask |= CURL_CSELECT_ERR }
    connector.act(on: socket, mask)
  }

  func deadlinePassed() {}
}
