import EventLoop
import Exchange
import FieldPolicy
import HTTP1
import HTTPMessage
import OriginClient
import Routing
import TLSEngine
import Telemetry
import Transport

/// One client's connection: moves octets, feeds the parser and the exchange's machine, carries out actions.
///
/// It lives from `start` until `close`, on one loop. Its phases:
///
///     handshaking ──> request ──> response ──> flushing ──> request ...
///                        └───────────────────────┴──> lingering ──> closed
final class ClientConnection: EventHandler, OriginConnectionUser {
  enum Phase: Equatable {
    case handshaking
    /// Waiting for a head, or inside a request. With content, response octets may already flow.
    case request
    /// The request is complete and the response is not.
    case response
    /// The response is over; some of it still has to be written.
    case flushing(ExchangeStateMachine.ClientEnd)
    /// Our side has ended; the client's rest is read and dropped.
    case lingering
    case closed
  }

  let service: Service
  let stream: ByteStream
  let identity: ClientIdentity
  let number: Int
  var id = SourceID.none
  var phase: Phase
  var parser: RequestParser
  var responseParser: ResponseParser
  var current: ActiveExchange?
  /// Octets that were read and can't be used yet: a pipelined request, or content that waits for its upstream.
  var carry: [UInt8] = []
  var requestsServed = 0
  var entry = AccessEntry()
  /// The route of the current entry, by its number; named only when a line is written.
  var entryRoute: Int?
  var exchangeStart: Int64 = 0
  var tlsVersion: String?
  var isPumping = false
  /// When this connection last began to wait for a request.
  var idleSince: Int64 = 0
  /// The client has ended its side in order; it still gets its answer.
  var hasHalfClosed = false
  var isContinuationScheduled = false
  /// `stream.writtenCount` when the write deadline was set.
  var writtenAtDeadline = -1
  /// Since when no octet of the request's content has come although they are wanted.
  var waitsForOctetsSince: Int64?

  /// How long an idle connection is kept while the worker drains: a request may be on its way to us.
  static let drainGrace = 1000

  static func start(
    descriptor: Int32, session: TLSSession?, address: String, service: Service
  ) {
    let connection = ClientConnection(descriptor, session, address, service)
    connection.id = service.loop.add(connection)
    service.add(connection)
    do {
      try service.loop.watch(descriptor, for: .edges, by: connection.id)
    } catch {
      connection.close()
      return
    }
    connection.begin()
  }

  private init(_ descriptor: Int32, _ session: TLSSession?, _ address: String, _ service: Service) {
    self.service = service
    stream = ByteStream(descriptor: descriptor, tls: session)
    identity = ClientIdentity(address: address, isTLS: session != nil)
    number = service.takeNumber()
    phase = session == nil ? .request : .handshaking
    parser = RequestParser(limits: service.settings.requestLimits)
    responseParser = ResponseParser(limits: service.settings.responseLimits)
  }

  private func begin() {
    let times = service.settings.times
    idleSince = service.loop.now
    let wait = phase == .handshaking ? times.tlsHandshake : times.requestHeader
    service.loop.setDeadline(afterMilliseconds: wait, of: id)
  }

  // MARK: Events of the client's socket

  func ready(_ readiness: Readiness) {
    if readiness.canRead { stream.becameReadable(peerEnded: readiness.peerEnded) }
    switch phase {
    case .handshaking:
      continueHandshake()
    case .lingering:
      drainLingering()
    case .closed:
      break
    case .request, .response, .flushing:
      if readiness.isGone { return clientLost("client_reset") }
      if readiness.canWrite, stream.pendingCount > 0 { clientTakesOctets() }
      pump()
      guard phase == .response, readiness.peerEnded else { return }
      lookForEnd()
      pump()
    }
  }

  private func continueHandshake() {
    guard let tls = stream.tls else { return }
    switch tls.handshake() {
    case .wouldBlock:
      break
    case .failed:
      close()
    case .done:
      tlsVersion = tls.version
      phase = .request
      let wait = service.isDraining ? ClientConnection.drainGrace : service.settings.times.requestHeader
      service.loop.setDeadline(afterMilliseconds: wait, of: id)
      pump()
    }
  }

  /// The client took octets again: what waited for it goes on.
  private func clientTakesOctets() {
    stream.flush()
    if stream.writingFailed { return clientLost("client_closed") }
    if !stream.isFull, current?.upstream != nil { readOrigin() }
  }

  func deadlinePassed() {
    switch phase {
    case .handshaking, .lingering:
      close()
    case .flushing:
      clientLost("client_write_timeout")
    case .response:
      if stream.pendingCount > 0 { clientLost("client_write_timeout") }
    case .request:
      requestDeadlinePassed()
    case .closed:
      break
    }
  }

  private func requestDeadlinePassed() {
    if current != nil {
      if stream.pendingCount > 0 { return clientLost("client_write_timeout") }
      entry.error = "client_read_timeout"
      perform { $0.requestTimedOut() }
    } else if parser.isInsideHead {
      startEntry()
      refuseWithoutExchange(
        Refusal(408, "C7", "the request head was not complete within request_header_timeout"))
    } else {
      closeInOrder()
    }
    pump()
  }

  // MARK: The one loop

  /// Does what can be done without waiting: reads, forwards, writes, and goes on with the next request.
  func pump() {
    guard !isPumping else { return }
    isPumping = true
    repeat {
      pumpPhases()
      flushBoth()
    } while isFlushed
    isPumping = false
    updateDeadline()
  }

  /// A response is over and written, and what follows has not been done.
  private var isFlushed: Bool {
    if case .flushing = phase { return stream.pendingCount == 0 }
    return false
  }

  private func pumpPhases() {
    var turns = 16  // Then others are served; what is left is continued in the next turn.
    while true {
      switch phase {
      case .flushing(let end):
        stream.flush()
        if stream.writingFailed { return close() }
        if stream.pendingCount > 0 { return }
        settle(end)
      case .request:
        if !wantsOctets {
          flushUpstream()  // What was read so far goes out in one piece, and may make room.
          if phase != .request { continue }
          guard wantsOctets else { return }
        }
        guard turns > 0 else { return continueNextTurn() }
        turns -= 1
        guard readSome() else { return }
      case .handshaking, .response, .lingering, .closed:
        return
      }
    }
  }

  private func continueNextTurn() {
    guard !isContinuationScheduled else { return }
    isContinuationScheduled = true
    service.loop.runAfterTurn { [self] in
      isContinuationScheduled = false
      pump()
    }
  }

  /// Writes what is staged on both sides. A side that took octets here will not say so again, so what waited for it is
  /// continued in the next turn.
  private func flushBoth() {
    guard phase != .closed else { return }
    let clientWasFull = stream.isFull
    let wantedOctets = wantsOctets
    flushUpstream()
    stream.flush()
    if stream.writingFailed, phase != .lingering { return clientLost("client_closed") }
    if clientWasFull, !stream.isFull, let upstream = current?.upstream { continueReadingNextTurn(upstream) }
    if !wantedOctets, wantsOctets { continueNextTurn() }
  }

  /// One deadline for what this connection waits for now; the upstream's waits have their own.
  private func updateDeadline() {
    switch phase {
    case .flushing, .response:
      updateWriteDeadline()
    case .request where current != nil:
      if stream.pendingCount > 0 { return updateWriteDeadline() }
      updateReadDeadline()
    case .request, .handshaking, .lingering, .closed:
      break
    }
  }

  /// A client that sends nothing for `request_idle_timeout` while octets are wanted; what the upstream sends meanwhile
  /// gives it no more time.
  private func updateReadDeadline() {
    guard wantsOctets else {
      waitsForOctetsSince = nil
      return service.loop.setDeadline(nil, of: id)
    }
    let since = waitsForOctetsSince ?? service.loop.now
    waitsForOctetsSince = since
    service.loop.setDeadline(since + Int64(service.settings.times.requestIdle) * 1_000_000, of: id)
  }

  /// A client that takes nothing for `response_idle_timeout` is let go, whatever else it does.
  private func updateWriteDeadline() {
    guard stream.pendingCount > 0 else {
      writtenAtDeadline = -1
      return service.loop.setDeadline(nil, of: id)
    }
    guard stream.writtenCount != writtenAtDeadline else { return }
    writtenAtDeadline = stream.writtenCount
    service.loop.setDeadline(afterMilliseconds: service.settings.times.responseIdle, of: id)
  }
}
