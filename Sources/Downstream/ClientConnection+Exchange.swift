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
  func startExchange(route: Int, _ destination: RequestFieldPolicy.Destination) {
    let head = parser.head
    let lastOne =
      service.settings.requestsPerConnection > 0
      && requestsServed >= service.settings.requestsPerConnection
    let request = ExchangeStateMachine.Request(
      isIdempotent: head.isIdempotent, hasContent: hasContent,
      wantsClose: head.wantsClose || lastOne)
    let machine = ExchangeStateMachine(
      request, resetsOnFailure: service.settings.resetsOnUpstreamFailure, isDraining: service.isDraining)
    current = Current(
      machine: machine, route: route, destination: destination, origin: service.routeOrigins[route])
    run(machine.start())
  }

  /// Gives the machine an event and carries out what it says.
  func perform(_ event: (inout ExchangeStateMachine) -> ExchangeStateMachine.Action) {
    guard var machine = current?.machine else { return }
    let action = event(&machine)
    current?.machine = machine
    run(action)
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
    guard let origin = current?.origin else { return }
    if fresh { releaseUpstream(reusable: false) }
    let mustBeAlive = hasContent || !parser.head.isIdempotent
    let acquired = service.origins.acquire(
      origin: origin, fresh: fresh, mustBeAlive: mustBeAlive, user: self
    ) { [self] result in
      current?.attempt = nil
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
      current?.attempt = attempt
    case .failed(let error):
      upstreamFailed(error)
    }
  }

  private func upstreamFailed(_ error: GatewayError) {
    entry.error = error.kind.rawValue
    perform { $0.upstreamFailed(error) }
  }

  private func use(_ connection: OriginConnection, reused: Bool) {
    current?.upstream = connection
    responseParser.startNext(answersHead: parser.head.methodIs("HEAD"))
    perform { $0.upstreamReady(reused: reused) }
  }

  private func sendRequest() {
    guard let current, let upstream = current.upstream else { return }
    service.headBuffer.removeAll(keepingCapacity: true)
    service.settings.requestPolicy.write(
      parser.head, to: current.destination, client: identity, into: &service.headBuffer)
    upstream.stream.stage(service.headBuffer)
    self.current?.requestSentAt = service.loop.now
    if current.machine.isRequestComplete { requestWasSent() }
  }

  /// The last octet is on its way; the upstream has `response_head_timeout` from here.
  func requestWasSent() {
    guard let upstream = current?.upstream, current?.machine.hasRelayedHead == false else { return }
    service.loop.setDeadline(
      afterMilliseconds: service.settings.times.responseHead, of: upstream.id)
  }

  /// Writes what is staged for the upstream. A failure ends nothing by itself: an answer may have come before it.
  func flushUpstream() {
    guard let current, let upstream = current.upstream else { return }
    upstream.stream.flush()
    if upstream.stream.writingFailed {
      perform { $0.upstreamRefusedOctets() }
      if current.upstream === self.current?.upstream { readOrigin() }
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
      self.current?.upstreamWrittenAtDeadline = -1
      service.loop.setDeadline(nil, of: upstream.id)
      if current.machine.hasRelayedHead {
        extendOriginDeadline()
      } else if current.machine.isRequestComplete {
        requestWasSent()
      }
      return
    }
    guard upstream.stream.writtenCount != current.upstreamWrittenAtDeadline else { return }
    self.current?.upstreamWrittenAtDeadline = upstream.stream.writtenCount
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
    let isWhole = !hasContent && refusal.status != 400 && refusal.status != 431 && refusal.status != 408
    let closes = parser.head.wantsClose || service.isDraining
    answer(OwnAnswer(refusal), !isWhole ? .linger : closes ? .close : .keepAlive)
  }

  private func answer(_ answer: OwnAnswer, _ end: ExchangeStateMachine.ClientEnd) {
    entry.status = answer.status
    service.headBuffer.removeAll(keepingCapacity: true)
    answer.write(
      date: service.clock.imfFixdate, closes: end != .keepAlive,
      isHead: parser.head.methodIs("HEAD"), into: &service.headBuffer)
    stream.stage(service.headBuffer)
    endExchange(end)
  }
}
