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

/// From the upstream's octets to the client.
extension ClientConnection {
  func originReady(_ readiness: Readiness) {
    if readiness.canWrite, let upstream = current?.upstream, upstream.stream.pendingCount > 0 {
      flushUpstream()
    }
    if readiness.canRead { readOrigin() }
    pump()
  }

  func originDeadlinePassed() {
    guard let current, let upstream = current.upstream else { return }
    let kind: GatewayError.Kind
    if upstream.stream.pendingCount > 0 {
      kind = .connectionWriteTimeout
    } else {
      kind = current.machine.hasRelayedHead ? .connectionReadTimeout : .responseTimeout
    }
    entry.error = kind.rawValue
    perform { $0.upstreamFailed(GatewayError(kind)) }
    pump()
  }

  /// Relays what the upstream sent, for as long as the client takes it.
  func readOrigin() {
    var turns = 16
    while let upstream = current?.upstream, !stream.isFull, upstream.stream.mayHaveMore {
      guard turns > 0 else { return continueReadingNextTurn(upstream) }
      turns -= 1
      switch upstream.stream.read(into: service.loop.scratch) {
      case .octets(let count):
        relay(UnsafeRawBufferPointer(rebasing: service.loop.scratch[0..<count]))
      case .wouldBlock:
        return
      case .ended(let cleanly):
        return upstreamEnded(cleanly: cleanly)
      case .failed:
        return upstreamEnded(cleanly: false)
      }
    }
  }

  func continueReadingNextTurn(_ upstream: OriginConnection) {
    service.loop.runAfterTurn { [self] in
      guard current?.upstream === upstream else { return }
      readOrigin()
      pump()
    }
  }

  private func relay(_ input: UnsafeRawBufferPointer) {
    guard let upstream = current?.upstream else { return }
    let octets = input.assumingMemoryBound(to: UInt8.self).span
    var offset = 0
    do {
      while current?.upstream === upstream {
        switch try responseParser.next(octets, &offset) {
        case .needMore:
          return extendOriginDeadline()
        case .head:
          responseParser.head.status < 200 ? relayInterim() : finalHeadReceived()
        case .content(let range):
          relayContent(UnsafeRawBufferPointer(rebasing: input[range]))
        case .end:
          return responseEnded(hasMore: offset < input.count)
        }
      }
    } catch {
      originMalformed(error)
    }
  }

  func extendOriginDeadline() {
    guard let current, let upstream = current.upstream, current.machine.hasRelayedHead else { return }
    service.loop.setDeadline(
      afterMilliseconds: service.settings.times.upstreamIdle, of: upstream.id)
  }

  private func originMalformed(_ error: ParseError) {
    let kind: GatewayError.Kind
    switch error.reason {
    case .headTooLarge, .tooManyFields: kind = .responseHeadTooLarge
    case .badTransferEncoding: kind = .responseTransferCoding
    case .switchingProtocols: kind = .upgradeFailed
    default: kind = .protocolError
    }
    entry.error = kind.rawValue
    perform { $0.upstreamFailed(GatewayError(kind)) }
  }

  private func upstreamEnded(cleanly: Bool) {
    do {
      if try responseParser.finish(cleanly: cleanly) == .end { responseEnded(hasMore: true) }
    } catch {
      let hadOctets = responseParser.hasOctets
      let isCut = current?.machine.hasRelayedHead == true || hadOctets
      entry.error = (isCut ? GatewayError.Kind.responseIncomplete : .connectionTerminated).rawValue
      perform { $0.upstreamLost(afterOctets: hadOctets) }
    }
  }

  // MARK: Events of the response

  private func relayInterim() {
    guard let current, current.request.minorVersion == 1 else { return }
    service.headBuffer.removeAll(keepingCapacity: true)
    service.settings.responsePolicy.writeInterim(
      responseParser.head, isThirdParty: current.destination.isThirdParty, into: &service.headBuffer)
    stream.stage(service.headBuffer)
    stream.flush()
  }

  private func finalHeadReceived() {
    guard let current else { return }
    entry.upstreamNanoseconds = service.loop.now - current.requestSentAt
    if current.destination.isThirdParty, followOrRefuseRedirect(current) { return }
    perform { $0.finalHeadReceived() }
  }

  func relayHead(closes: Bool) {
    guard let current else { return }
    let head = responseParser.head
    let framing = ResponseFieldPolicy.framing(head, clientMinorVersion: current.request.minorVersion)
    let context = ResponseFieldPolicy.Context(
      isThirdParty: current.destination.isThirdParty, framing: framing,
      closes: closes || framing == .untilClose)
    current.framing = framing
    entry.status = head.status
    service.headBuffer.removeAll(keepingCapacity: true)
    service.settings.responsePolicy.write(
      head, context, date: service.clock.imfFixdate, into: &service.headBuffer)
    stream.stage(service.headBuffer)
    extendOriginDeadline()
  }

  private func relayContent(_ content: UnsafeRawBufferPointer) {
    entry.responseOctets += content.count
    guard current?.framing == .chunked else { return stream.send(content) }
    service.headBuffer.removeAll(keepingCapacity: true)
    ChunkEncoder.appendSizeLine(content.count, to: &service.headBuffer)
    stream.stage(service.headBuffer)
    stream.send(content)
    stream.stage(ChunkEncoder.lineEnd)
  }

  /// - Parameter hasMore: octets or the end came behind the response, so the connection is not used again (rule R6).
  private func responseEnded(hasMore: Bool) {
    guard let current else { return }
    let head = responseParser.head
    if current.framing == .chunked, head.framing != .none { stageLastChunk(current) }
    let reusable = !hasMore && !head.wantsClose && head.framing != .untilClose
    perform { $0.responseEnded(reusable: reusable) }
  }

  private func stageLastChunk(_ current: ActiveExchange) {
    guard current.request.acceptsTrailers, !responseParser.trailers.isEmpty else {
      return stream.stage(ChunkEncoder.lastChunk)
    }
    service.headBuffer.removeAll(keepingCapacity: true)
    service.headBuffer.append(contentsOf: [0x30, 0x0D, 0x0A])
    service.settings.responsePolicy.writeTrailers(
      responseParser.trailers, of: responseParser.head, isThirdParty: current.destination.isThirdParty,
      into: &service.headBuffer)
    stream.stage(service.headBuffer)
  }

  // MARK: Redirects of third parties

  /// A third party's redirect is followed here, or refused; the app never sees it (rule X2).
  /// - Returns: false when the response is none.
  private func followOrRefuseRedirect(_ current: ActiveExchange) -> Bool {
    let head = responseParser.head
    let locations = head.section.lines.filter { $0.field == .location }
    guard (300..<400).contains(head.status), head.status != 304, !locations.isEmpty else { return false }
    let route = service.settings.routes.routes[current.route]
    let isSafe = current.request.semantics.isGet || current.request.semantics.isHead
    guard isSafe, !current.request.hasContent, locations.count == 1,
      current.redirects < service.settings.redirectLimit,
      let redirect = Redirect.resolve(
        location: head.section.octets.span.extracting(
          Int(locations[0].valueStart)..<Int(locations[0].valueEnd)),
        from: service.origins.origin(current.origin),
        route: route)
    else {
      entry.error = GatewayError.Kind.redirectRefused.rawValue
      perform { $0.upstreamFailed(GatewayError(.redirectRefused)) }
      return true
    }
    releaseUpstream(reusable: false)
    current.redirects += 1
    current.origin = service.origins.register(redirect.origin)
    current.destination = RequestFieldPolicy.Destination(
      pathPrefix: redirect.target, tail: 0..<0, authority: Array(redirect.origin.authority.utf8),
      isThirdParty: true)
    perform { $0.redirectFollowed() }
    return true
  }
}
