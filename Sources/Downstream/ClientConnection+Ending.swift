import CLinux
import EventLoop
import Exchange
import FieldPolicy
import Glibc
import HTTP1
import HTTPMessage
import OriginClient
import Routing
import TLSEngine
import Telemetry
import Transport

/// How exchanges and connections end.
extension ClientConnection {
  func startEntry() {
    exchangeStart = service.loop.now
    requestsServed += 1
    entry = AccessEntry()
    entryRoute = nil
  }

  /// The response is complete as far as we are concerned; the rest is writing.
  func endExchange(_ end: ExchangeStateMachine.ClientEnd) {
    logEntry()
    current = nil
    phase = .flushing(end)
  }

  private func logEntry() {
    guard service.telemetry.wants(entry) else { return }
    let head = parser.head
    if head.method.upperBound <= head.section.octets.count {
      entry.method = Array(head.section.octets[head.method])
    }
    entry.route = entryRoute.map { service.settings.routes.routes[$0].name }
    entry.connection = number
    entry.request = requestsServed
    entry.tlsVersion = tlsVersion
    entry.totalNanoseconds = service.loop.now - exchangeStart
    service.telemetry.log(entry)
  }

  /// All is written: the next request, or the end.
  func settle(_ end: ExchangeStateMachine.ClientEnd) {
    switch end {
    case .keepAlive:
      startNextRequest()
    case .close where hasHalfClosed:
      closeInOrder()
    case .close, .linger:
      // Also a client that was told of the end may have sent its next request already.
      stream.shutDownWriting()
      phase = .lingering
      service.loop.setDeadline(afterMilliseconds: service.settings.times.linger, of: id)
      drainLingering()
    }
  }

  private func startNextRequest() {
    if hasHalfClosed, carry.isEmpty { return closeInOrder() }
    parser.startNext()
    stream.releaseStorage()
    phase = .request
    idleSince = service.loop.now
    let wait = service.isDraining ? ClientConnection.drainGrace : service.settings.times.keepAlive
    service.loop.setDeadline(afterMilliseconds: wait, of: id)
  }

  /// Reads and drops, below TLS, so that our kernel does not answer the client's rest with a reset that would take the
  /// response with it. RFC 9112 section 9.6.
  func drainLingering() {
    var left = 64
    while left > 0 {
      left -= 1
      let scratch = service.loop.scratch
      let received = octet_receive(stream.descriptor, scratch.baseAddress, scratch.count)
      if received > 0 { continue }
      if received < 0, errno == EAGAIN { return }
      return close()
    }
    service.loop.runAfterTurn { [self] in
      if phase == .lingering { drainLingering() }
    }
  }

  // MARK: Breaking off

  /// The client is gone, or took nothing for too long.
  func clientLost(_ reason: String) {
    guard phase != .closed else { return }
    if current != nil {
      entry.error = entry.error ?? reason
      perform { $0.clientLost() }
      logEntry()
      current = nil
    }
    stream.resetOnClose()
    close()
  }

  /// Breaks the client's connection off, so that what it has does not look whole (rule R5).
  func abort(reason: String) {
    guard phase != .closed else { return }
    // A length or chunks tell by themselves that something is missing. An ordinary end, though without close_notify,
    // then brings the client what was relayed; a reset could take it away.
    let showsItsEnd = current?.machine.hasRelayedHead == true && current?.framing != .untilClose
    if current != nil {
      entry.error = entry.error ?? reason
      releaseUpstream(reusable: false)
      logEntry()
      current = nil
    }
    if showsItsEnd {
      stream.flush()
      stream.tls?.forgetCloseNotify()
    } else {
      stream.resetOnClose()
    }
    close()
  }

  /// Nothing is under way: close_notify, FIN, and the end.
  func closeInOrder() {
    stream.shutDownWriting()
    close()
  }

  func close() {
    guard phase != .closed else { return }
    releaseUpstream(reusable: false)
    current = nil
    phase = .closed
    carry = []
    service.loop.unwatch(stream.descriptor)
    service.loop.remove(id)
    stream.close()
    service.remove(self)
  }

  // MARK: Draining

  /// The worker is to stop: an idle connection gets one more second.
  func drain() {
    guard isIdle else {
      current?.machine.drainingBegan()
      return
    }
    service.loop.setDeadline(afterMilliseconds: ClientConnection.drainGrace, of: id)
  }

  /// For when there is no room. One that has just come, or has just been served, is spared: it is the busiest kind.
  /// - Returns: whether the connection was idle and is closed.
  func closeIfIdle() -> Bool {
    guard isIdle, service.loop.now - idleSince > ClientConnection.spared else { return false }
    closeInOrder()
    return true
  }

  /// In nanoseconds.
  private static let spared: Int64 = 1_000_000_000

  private var isIdle: Bool {
    phase == .request && current == nil && !parser.isInsideHead && carry.isEmpty
  }
}
