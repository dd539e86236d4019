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

  /// - Returns: a bound, listening, non-blocking descriptor that the caller owns.
  static func open(address: String, port: UInt16) throws(Failure) -> Int32 {
    let isIPv6 = address.utf8.contains(0x3A)
    let descriptor = octet_socket(isIPv6 ? AF_INET6 : AF_INET)
    guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
    _ = octet_set_option(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
    _ = octet_set_option(descriptor, SOL_SOCKET, SO_REUSEPORT, 1)
    // [::] serves IPv6 alone, so that 0.0.0.0 can stand beside it and each address says what it means.
    if isIPv6 { _ = octet_set_option(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
    guard bind(descriptor, address, port, isIPv6) else {
      let code = errno
      _ = close(descriptor)
      throw Failure(call: "bind", code: code)
    }
    guard listen(descriptor, 4096) == 0 else {
      let code = errno
      _ = close(descriptor)
      throw Failure(call: "listen", code: code)
    }
    return descriptor
  }

  /// The port the kernel chose for port 0.
  static func port(of descriptor: Int32) -> UInt16 {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer -> UInt16 in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &length) }
      // sin_port and sin6_port stand in the same place.
      return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
    }
  }

  private static func bind(_ descriptor: Int32, _ address: String, _ port: UInt16, _ isIPv6: Bool) -> Bool {
    if isIPv6 {
      var six = sockaddr_in6()
      six.sin6_family = sa_family_t(AF_INET6)
      six.sin6_port = port.bigEndian
      guard inet_pton(AF_INET6, address, &six.sin6_addr) == 1 else {
        errno = EINVAL
        return false
      }
      return withUnsafePointer(to: &six) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
        }
      }
    }
    var four = sockaddr_in()
    four.sin_family = sa_family_t(AF_INET)
    four.sin_port = port.bigEndian
    guard inet_pton(AF_INET, address, &four.sin_addr) == 1 else {
      errno = EINVAL
      return false
    }
    return withUnsafePointer(to: &four) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
