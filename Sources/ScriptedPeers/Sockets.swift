import CLinux
import Glibc

/// Loopback sockets; every descriptor is non-blocking and closed on exec.
enum Sockets {
  /// A listener on `address` (an IPv4 or IPv6 literal); port 0 lets the kernel choose.
  static func listen(_ address: String, port: UInt16, receiveBuffer: Int? = nil) throws(PeerError) -> Int32 {
    var storage = sockaddr_storage()
    let length = octet_parse_address(address, port, &storage)
    guard length > 0 else { throw .system("address \(address)", EINVAL) }
    let descriptor = octet_socket(Int32(storage.ss_family))
    guard descriptor >= 0 else { throw .system("socket", errno) }
    _ = octet_set_option(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
    if let receiveBuffer {
      _ = octet_set_option(descriptor, SOL_SOCKET, SO_RCVBUF, Int32(clamping: receiveBuffer))
    }
    guard octet_bind(descriptor, &storage, length) == 0, Glibc.listen(descriptor, 512) == 0 else {
      let number = errno
      close(descriptor)
      throw .system("listen on \(address):\(port)", number)
    }
    return descriptor
  }

  /// A connected socket.
  ///
  /// - Parameter receiveBuffer: SO_RCVBUF, set before connecting so that the window starts small.
  static func connect(
    _ address: String, port: UInt16, receiveBuffer: Int?, _ deadline: Deadline
  ) throws(PeerError) -> Int32 {
    var storage = sockaddr_storage()
    let length = octet_parse_address(address, port, &storage)
    guard length > 0 else { throw .system("address \(address)", EINVAL) }
    let descriptor = octet_socket(Int32(storage.ss_family))
    guard descriptor >= 0 else { throw .system("socket", errno) }
    if let receiveBuffer {
      _ = octet_set_option(descriptor, SOL_SOCKET, SO_RCVBUF, Int32(clamping: receiveBuffer))
    }
    setNoDelay(descriptor)
    var failure: PeerError?
    if octet_connect(descriptor, &storage, length) != 0 {
      let number = errno
      if number != EINPROGRESS {
        failure = .system("connect", number)
      } else if !awaitReadiness(descriptor, POLLOUT, deadline) {
        failure = .timedOut("connect")
      } else {
        let outcome = octet_socket_error(descriptor)
        if outcome != 0 { failure = .system("connect", outcome) }
      }
    }
    if let failure {
      close(descriptor)
      throw failure
    }
    return descriptor
  }

  /// Small writes leave at once, so that a test decides the segments.
  static func setNoDelay(_ descriptor: Int32) {
    _ = octet_set_option(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
  }
}

/// A write to a closed peer is an error code and not the end of the process: done once, by the first peer.
let ignoreBrokenPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

/// A port on `address` that nobody listened on a moment ago, for a server that can't be asked for its own.
package func unusedPort(address: String = "127.0.0.1") throws(PeerError) -> UInt16 {
  let descriptor = try Sockets.listen(address, port: 0)
  defer { close(descriptor) }
  return octet_local_port(descriptor)
}
