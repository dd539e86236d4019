import CLinux
package import EventLoop
import FieldPolicy
import Glibc
package import TLSEngine
import Telemetry

/// One address on one worker: accepts what comes and makes client connections of it.
package final class Listener: EventHandler {
  private let descriptor: Int32
  private let context: ServerContext?
  private let service: Service
  private var id = SourceID.none
  private var isOpen = true
  private var nextWarning: Int64 = 0

  /// How long accepting pauses when there is no room.
  private static let pauseMilliseconds = 100
  /// In nanoseconds: a pause that lasts is said once in a while.
  private static let warningInterval: Int64 = 1_000_000_000
  /// Connections taken in one turn, so that established ones are served between.
  private static let batch = 64

  /// - Parameters:
  ///   - descriptor: bound, listening, non-blocking; owned from here on.
  ///   - context: nil for plain HTTP.
  package init(descriptor: Int32, context: ServerContext?, service: Service) throws(EventLoop.SystemError) {
    self.descriptor = descriptor
    self.context = context
    self.service = service
    id = service.loop.add(self)
    try service.loop.watch(descriptor, for: .reading, by: id)
  }

  package func ready(_ readiness: Readiness) {
    accept(most: Listener.batch)
  }

  package func deadlinePassed() {
    guard isOpen else { return }
    service.loop.change(descriptor, to: .reading, by: id)
    accept(most: Listener.batch)
  }

  /// Takes what has already been accepted by the kernel, then stops.
  package func close() {
    guard isOpen else { return }
    accept(most: Int.max)
    isOpen = false
    service.loop.unwatch(descriptor)
    service.loop.remove(id)
    _ = Glibc.close(descriptor)
  }

  private func accept(most: Int) {
    var left = most
    while isOpen, left > 0 {
      left -= 1
      guard service.gate.enter() else { return pause("client connections reached connection_limit") }
      var address = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let accepted = octet_accept(descriptor, &address, &length)
      guard accepted >= 0 else {
        service.gate.leave()
        if errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM {
          return pause("accepting paused: no descriptor left")
        }
        if errno == EAGAIN { return }
        continue  // The client gave up before it was accepted. accept(2).
      }
      serve(accepted, address)
    }
  }

  private func serve(_ accepted: Int32, _ address: sockaddr_storage) {
    _ = octet_set_option(accepted, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    var session: TLSSession?
    if let context {
      session = TLSSession(accepting: accepted, context: context)
      guard session != nil else {
        _ = Glibc.close(accepted)
        service.gate.leave()
        return
      }
    }
    let wantsAddress = service.settings.requestPolicy.added.forwarded
    ClientConnection.start(
      descriptor: accepted, session: session, address: wantsAddress ? Listener.text(of: address) : "",
      service: service)
  }

  private func pause(_ text: StaticString) {
    service.loop.change(descriptor, to: .none, by: id)
    service.loop.setDeadline(afterMilliseconds: Listener.pauseMilliseconds, of: id)
    if service.loop.now >= nextWarning {
      nextWarning = service.loop.now + Listener.warningInterval
      service.telemetry.event(.warning, text)
    }
    service.shedIdle(most: 16)
  }

  /// The peer's address without its port; IPv4 in an IPv6 socket is written as IPv4.
  private static func text(of address: sockaddr_storage) -> String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    var address = address
    let family = Int32(address.ss_family)
    let found = withUnsafePointer(to: &address) { pointer -> Bool in
      if family == AF_INET {
        return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { four in
          withUnsafePointer(to: four.pointee.sin_addr) {
            inet_ntop(AF_INET, $0, &text, socklen_t(text.count)) != nil
          }
        }
      }
      return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { six in
        withUnsafePointer(to: six.pointee.sin6_addr) {
          inet_ntop(AF_INET6, $0, &text, socklen_t(text.count)) != nil
        }
      }
    }
    guard found else { return "unknown" }
    let name = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return name.hasPrefix("::ffff:") && name.contains(".") ? String(name.dropFirst(7)) : name
  }
}
