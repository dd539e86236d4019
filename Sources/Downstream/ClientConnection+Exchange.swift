import EventLoop
import Exchange
import FieldPolicy
import HTTP1
import HTTPMessage
import OriginClient
import Routing
import Telemetry
import Transport

/// From the machine's actions to the two streams.
extension ClientConnection {
  func startExchange(_ head: RequestHead, route: Int, _ destination: RequestFieldPolicy.Destination) {
    let traits = ActiveExchange.Traits(head)
    let limit = service.settings.requestsPerConnection
    let isLast = limit > 0 && requestsServed >= limit
    let request = ExchangeStateMachine.Request(
      isIdempotent: traits.semantics.isIdempotent, hasContent: traits.hasContent,
      wantsClose: head.wantsClose || isLast)
    let machine = ExchangeStateMachine(
      request, resetsOnFailure: service.settings.resetsOnUpstreamFailure, isDraining: service.isDraining)
    current = ActiveExchange(
      machine: machine, request: traits, route: route, destination: destination,
      origin: service.routeOrigins[route])
    run(machine.start())
  }

  /// Gives the machine an event and carries out what it says.
  func perform(_ event: (inout ExchangeStateMachine) -> ExchangeStateMachine.Action) {
    guard let current else { return }
    run(event(&current.machine))
  }

  func run(_ action: ExchangeStateMachine.Action) {
    switch action {
    case .nothing, .forward, .discard:
      break
    case .acquireUpstream(let fresh):
      acquire(fresh: fresh)
    case .sendRequest:
      sendRequest()
    case .relayHead(let closes):
      relayHead(closes: closes)
    case .finish(let reuse, let end):
      releaseUpstream(reusable: reuse)
      endExchange(end)
    case .respond(let error, let end):
      releaseUpstream(reusable: false)
      entry.error = entry.error ?? error.kind.rawValue
      answer(OwnAnswer(error), end)
    case .refuse(let refusal, let end):
      releaseUpstream(reusable: false)
      entry.rule = refusal.rule.description
      answer(OwnAnswer(refusal), end)
    case .abort:
      abort(reason: entry.error ?? "aborted")
    case .abandon:
      releaseUpstream(reusable: false)
    }
  }

  // MARK: Towards the upstream

  private func acquire(fresh: Bool) {
    guard let current else { return }
    if fresh {
      entry.error = nil  // The repeat decides.
      releaseUpstream(reusable: false)
    }
    let acquired = service.origins.acquire(
      origin: current.origin, fresh: fresh, user: self
    ) { [self] result in
      self.current?.attempt = nil
      switch result {
      case .success(let connection):
        entry.upstreamReused = false
        use(connection, reused: false)
      case .failure(let error):
        upstreamFailed(error)
      }
      pump()
    }
    switch acquired {
    case .ready(let connection):
      entry.upstreamReused = true
      use(connection, reused: true)
    case .connecting(let attempt):
      current.attempt = attempt
    case .failed(let error):
      upstreamFailed(error)
    }
  }

  private func upstreamFailed(_ error: GatewayError) {
    entry.error = error.kind.rawValue
    perform { $0.upstreamFailed(error) }
  }

  private func use(_ connection: OriginConnection, reused: Bool) {
    guard let current else { return service.origins.release(connection, reusable: false) }
    current.upstream = connection
    responseParser.startNext(answersHead: current.request.semantics.isHead)
    perform { $0.upstreamReady(reused: reused) }
  }

  private func sendRequest() {
    guard let current, let upstream = current.upstream else { return }
    service.headBuffer.removeAll(keepingCapacity: true)
    service.settings.requestPolicy.write(
      parser.head, to: current.destination, client: identity, into: &service.headBuffer)
    upstream.stream.stage(service.headBuffer)
    current.requestSentAt = service.loop.now
    if current.machine.isRequestComplete { requestWasSent() }
  }

  /// The last octet is on its way; the upstream has `response_head_timeout` from here.
  func requestWasSent() {
    guard let current, let upstream = current.upstream, !current.machine.hasRelayedHead else { return }
    service.loop.setDeadline(
      afterMilliseconds: service.settings.times.responseHead, of: upstream.id)
  }

  /// Writes what is staged for the upstream. A failure ends nothing by itself: an answer may have come before it.
  func flushUpstream() {
    guard let current, let upstream = current.upstream else { return }
    upstream.stream.flush()
    if upstream.stream.writingFailed {
      perform { $0.upstreamRefusedOctets() }
      readOrigin()
    } else {
      updateUpstreamWriteDeadline(upstream)
    }
  }

  /// An upstream that takes nothing for `upstream_idle_timeout` is given up. When it takes all again, it has the time
  /// that belongs to what comes next; none runs while the client uploads (rule C4: no total limit).
  private func updateUpstreamWriteDeadline(_ upstream: OriginConnection) {
    guard let current else { return }
    guard upstream.stream.pendingCount > 0 else {
      guard current.upstreamWrittenAtDeadline >= 0 else { return }
      current.upstreamWrittenAtDeadline = -1
      service.loop.setDeadline(nil, of: upstream.id)
      if current.machine.hasRelayedHead {
        extendOriginDeadline()
      } else if current.machine.isRequestComplete {
        requestWasSent()
      }
      return
    }
    guard upstream.stream.writtenCount != current.upstreamWrittenAtDeadline else { return }
    current.upstreamWrittenAtDeadline = upstream.stream.writtenCount
    service.loop.setDeadline(
      afterMilliseconds: service.settings.times.upstreamIdle, of: upstream.id)
  }

  func releaseUpstream(reusable: Bool) {
    if let attempt = current?.attempt {
      current?.attempt = nil
      service.origins.cancel(attempt)
    }
    guard let upstream = current?.upstream else { return }
    current?.upstream = nil
    current?.upstreamWrittenAtDeadline = -1
    service.origins.release(upstream, reusable: reusable && upstream.stream.pendingCount == 0)
  }

  // MARK: Answers of our own

  func refuseWithoutExchange(_ refusal: Refusal) {
    entry.rule = refusal.rule.description
    // Behind CONNECT, octets of a tunnel that the client took for granted may already be on their way.
    let isWhole =
      !parser.head.hasContent && refusal.status != 400 && refusal.status != 431 && refusal.status != 408
      && !parser.head.semantics.isConnect
    let closes = parser.head.wantsClose || service.isDraining
    answer(OwnAnswer(refusal), !isWhole ? .linger : closes ? .close : .keepAlive)
  }

  private func answer(_ answer: OwnAnswer, _ end: ExchangeStateMachine.ClientEnd) {
    entry.status = answer.status
    service.headBuffer.removeAll(keepingCapacity: true)
    answer.write(
      date: service.clock.imfFixdate, closes: end != .keepAlive,
      isHead: parser.head.semantics.isHead, into: &service.headBuffer)
    stream.stage(service.headBuffer)
    endExchange(end)
  }
}
