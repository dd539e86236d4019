import CLinux
import GatewayConfig
import Glibc

/// Opens listening sockets. Each worker has one of its own for every address (SO_REUSEPORT), so that workers share
/// nothing when a connection comes.
enum ListeningSocket {
  struct Failure: Error, Equatable {
    let call: String
    let code: Int32

    var reason: String { String(cString: strerror(code)) }
  }

  /// - Parameter isFirst: of this process on that address. It is bound alone, so that another process that listens
  ///   there already is an error and does not get half of the clients; only then may further workers join.
  /// - Returns: a bound, listening, non-blocking descriptor that the caller owns.
  static func open(address: String, port: UInt16, isFirst: Bool) throws(Failure) -> Int32 {
    var storage = sockaddr_storage()
    let length = octet_parse_address(address, port, &storage)
    guard length > 0 else { throw Failure(call: "inet_pton", code: EINVAL) }
    let descriptor = octet_socket(Int32(storage.ss_family))
    guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
    _ = octet_set_option(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
    if !isFirst { _ = octet_set_option(descriptor, SOL_SOCKET, SO_REUSEPORT, 1) }
    if Int32(storage.ss_family) == AF_INET6 {
      // [::] serves IPv6 alone, so that 0.0.0.0 can stand beside it and each address says what it means.
      _ = octet_set_option(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1)
    }
    guard octet_bind(descriptor, &storage, length) == 0 else { throw failure("bind", descriptor) }
    if isFirst { _ = octet_set_option(descriptor, SOL_SOCKET, SO_REUSEPORT, 1) }
    guard listen(descriptor, 4096) == 0 else { throw failure("listen", descriptor) }
    return descriptor
  }

  private static func failure(_ call: String, _ descriptor: Int32) -> Failure {
    let code = errno
    _ = close(descriptor)
    return Failure(call: call, code: code)
  }
}
