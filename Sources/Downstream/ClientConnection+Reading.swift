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

/// From the client's octets to events.
extension ClientConnection {
  /// Whether octets of the client can be used now. Content waits until its upstream has taken what came before.
  var wantsOctets: Bool {
    guard phase == .request else { return false }
    guard let current else { return true }
    if current.machine.isBroken { return false }
    if current.machine.isDiscarding { return true }
    guard let upstream = current.upstream else { return false }
    return !upstream.stream.isFull
  }

  /// - Returns: false when there is nothing more to read for now.
  func readSome() -> Bool {
    if !carry.isEmpty {
      waitsForOctetsSince = nil
      let octets = carry
      carry = []
      octets.withUnsafeBytes { consume($0) }
      return true
    }
    guard stream.mayHaveMore else { return false }
    switch stream.read(into: service.loop.scratch) {
    case .octets(let count):
      waitsForOctetsSince = nil
      consume(UnsafeRawBufferPointer(rebasing: service.loop.scratch[0..<count]))
      return true
    case .wouldBlock:
      return false
    case .ended:
      clientEnded()
      return false
    case .failed:
      clientLost("client_reset")
      return false
    }
  }

  /// Feeds the parser; what can't be used yet is carried.
  private func consume(_ input: UnsafeRawBufferPointer) {
    let octets = input.assumingMemoryBound(to: UInt8.self).span
    if current == nil, !parser.isInsideHead {
      service.loop.setDeadline(
        afterMilliseconds: service.settings.times.requestHeader, of: id)
    }
    var offset = 0
    while wantsOctets || (phase == .request && parser.isExhausted) {
      do {
        switch try parser.next(octets, &offset) {
        case .needMore:
          return
        case .head:
          headReceived()
          if phase == .request, current?.request.hasContent == false { requestEnded() }
        case .content(let range):
          contentReceived(UnsafeRawBufferPointer(rebasing: input[range]))
        case .end:
          requestEnded()
        }
      } catch {
        return parsingFailed(error)
      }
    }
    if offset < input.count, phase == .request || phase == .response || isFlushingToKeepAlive {
      carry.append(contentsOf: input[offset...])
    }
  }

  private var isFlushingToKeepAlive: Bool { phase == .flushing(.keepAlive) }

  private func headReceived() {
    startEntry()
    let head = parser.head
    do throws(Refusal) {
      let match = try service.settings.routes.match(head)
      let route = service.settings.routes.routes[match.route]
      entryRoute = match.route
      try service.settings.requestPolicy.examine(head)
      if case .length(let count) = head.framing, count > UInt64(service.settings.requestBodyLimit) {
        throw Refusal(413, "B4", "the request's content is over request_body_limit")
      }
      let destination = RequestFieldPolicy.Destination(
        pathPrefix: route.upstreamPath, tail: match.tail, authority: route.authority,
        isThirdParty: route.isThirdParty)
      startExchange(head, route: match.route, destination)
    } catch {
      refuseWithoutExchange(error)
    }
  }

  private func contentReceived(_ content: UnsafeRawBufferPointer) {
    entry.requestOctets += content.count
    guard entry.requestOctets <= service.settings.requestBodyLimit else {
      refuseInside(Refusal(413, "B4", "the request's content grew over request_body_limit"))
      return
    }
    guard current?.machine.requestContentReceived() == .forward, let upstream = current?.upstream else {
      return
    }
    if parser.head.framing == .chunked {
      service.headBuffer.removeAll(keepingCapacity: true)
      ChunkEncoder.appendSizeLine(content.count, to: &service.headBuffer)
      upstream.stream.stage(service.headBuffer)
      upstream.stream.send(content)
      upstream.stream.stage(ChunkEncoder.lineEnd)
    } else {
      upstream.stream.send(content)
    }
  }

  private func requestEnded() {
    phase = .response
    guard current?.machine.requestEnded() == .forward, let current, let upstream = current.upstream else {
      return
    }
    if parser.head.framing == .chunked {
      service.headBuffer.removeAll(keepingCapacity: true)
      service.headBuffer.append(contentsOf: [0x30, 0x0D, 0x0A])
      service.settings.requestPolicy.writeTrailers(
        parser.trailers, of: parser.head, isThirdParty: current.destination.isThirdParty,
        into: &service.headBuffer)
      upstream.stream.stage(service.headBuffer)
    }
    requestWasSent()
  }

  private func parsingFailed(_ error: ParseError) {
    carry = []
    guard current != nil else {
      startEntry()
      return refuseWithoutExchange(error.refusal)
    }
    refuseInside(error.refusal)
  }

  /// A rule was broken behind the head. Also when the response is out already, the log names the rule.
  private func refuseInside(_ refusal: Refusal) {
    entry.rule = refusal.rule.description
    perform { $0.requestRefused(refusal) }
  }

  // MARK: The client's end

  /// The client ended its side between or inside messages.
  private func clientEnded() {
    if current != nil {
      clientLost("client_closed")  // Inside its request: what went upstream is cut (rule B5).
    } else {
      closeInOrder()
    }
  }

  /// While the client waits for its response: an end in order (FIN, or close_notify) is a half-closed client that
  /// gets its answer; a reset, or a TLS connection that ends without close_notify, is a client that left (rules C5, C6).
  func lookForEnd() {
    while phase == .response, !hasHalfClosed, carry.count < 65_536 {
      switch stream.read(into: service.loop.scratch) {
      case .octets(let count):
        carry.append(contentsOf: UnsafeRawBufferPointer(rebasing: service.loop.scratch[0..<count]))
      case .wouldBlock:
        return
      case .ended(let cleanly):
        guard cleanly else { return clientLost("client_closed") }
        hasHalfClosed = true
      case .failed:
        return clientLost("client_reset")
      }
    }
  }
}
