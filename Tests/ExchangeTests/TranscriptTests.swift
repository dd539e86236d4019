import Exchange
import HTTPMessage
import Testing

typealias Machine = ExchangeStateMachine

/// A machine for a request of this kind; content means that the request is still coming.
func machine(
  idempotent: Bool = true, content: Bool = false, wantsClose: Bool = false, resets: Bool = false,
  draining: Bool = false
) -> Machine {
  Machine(
    Machine.Request(isIdempotent: idempotent, hasContent: content, wantsClose: wantsClose),
    resetsOnFailure: resets, isDraining: draining)
}

@Suite("One request and its response, event by event")
struct TranscriptTests {
  let refused = Refusal(413, "B4", "too much")

  @Test("relays a request without content and its response, and keeps both connections (C2)")
  func usual() {
    var exchange = machine()
    #expect(exchange.start() == .acquireUpstream(fresh: false))
    #expect(exchange.isRequestComplete)
    #expect(exchange.upstreamReady(reused: true) == .sendRequest)
    #expect(exchange.finalHeadReceived() == .relayHead(closes: false))
    #expect(exchange.hasRelayedHead)
    #expect(exchange.responseEnded(reusable: true) == .finish(reuseUpstream: true, client: .keepAlive))
    #expect(exchange.isOver)
  }

  @Test("closes where the client, or a draining gateway, wants to", arguments: [true, false])
  func closes(wantsClose: Bool) {
    var exchange = machine(wantsClose: wantsClose, draining: !wantsClose)
    _ = exchange.upstreamReady(reused: false)
    #expect(exchange.finalHeadReceived() == .relayHead(closes: true))
    #expect(exchange.responseEnded(reusable: false) == .finish(reuseUpstream: false, client: .close))
  }

  @Test("passes content on as it comes (B6)")
  func upload() {
    var exchange = machine(idempotent: false, content: true)
    #expect(exchange.requestContentReceived() == .forward)
    #expect(exchange.upstreamReady(reused: true) == .sendRequest)
    #expect(exchange.requestContentReceived() == .forward)
    #expect(exchange.requestEnded() == .forward)
    #expect(exchange.finalHeadReceived() == .relayHead(closes: false))
    #expect(exchange.responseEnded(reusable: true) == .finish(reuseUpstream: true, client: .keepAlive))
  }

  @Test("repeats once what is idempotent and without content, after a reused connection died unanswered (C1)")
  func repeats() {
    var exchange = machine()
    _ = exchange.upstreamReady(reused: true)
    #expect(exchange.upstreamLost(afterOctets: false) == .acquireUpstream(fresh: true))
    #expect(exchange.upstreamReady(reused: false) == .sendRequest)
    #expect(
      exchange.upstreamLost(afterOctets: false)
        == .respond(GatewayError(.connectionTerminated), client: .keepAlive))
  }

  @Test("repeats once even if the second connection was a pooled one all the same (C1)")
  func repeatsOnce() {
    var exchange = machine()
    _ = exchange.upstreamReady(reused: true)
    _ = exchange.upstreamLost(afterOctets: false)
    _ = exchange.upstreamReady(reused: true)
    #expect(
      exchange.upstreamLost(afterOctets: false)
        == .respond(GatewayError(.connectionTerminated), client: .keepAlive))
  }

  struct NoRepeat: Sendable {
    var idempotent = true
    var content = false
    var reused = true
    var afterOctets = false
  }

  @Test(
    "repeats nothing else (C1)",
    arguments: [
      NoRepeat(idempotent: false), NoRepeat(content: true), NoRepeat(reused: false),
      NoRepeat(afterOctets: true),
    ])
  func repeatsNothingElse(row: NoRepeat) {
    var exchange = machine(idempotent: row.idempotent, content: row.content)
    if row.content { _ = exchange.requestEnded() }
    _ = exchange.upstreamReady(reused: row.reused)
    let kind: GatewayError.Kind = row.afterOctets ? .responseIncomplete : .connectionTerminated
    #expect(
      exchange.upstreamLost(afterOctets: row.afterOctets) == .respond(GatewayError(kind), client: .keepAlive))
  }

  @Test("answers a failure before the head, aborts after it (R5, G2)")
  func failures() {
    let error = GatewayError(.connectionRefused)
    var before = machine()
    #expect(before.upstreamFailed(error) == .respond(error, client: .keepAlive))
    #expect(before.upstreamFailed(error) == .nothing)
    var uploading = machine(content: true)
    #expect(uploading.upstreamFailed(error) == .respond(error, client: .linger))
    var after = machine()
    _ = after.upstreamReady(reused: true)
    _ = after.finalHeadReceived()
    #expect(after.upstreamLost(afterOctets: true) == .abort)
    #expect(after.responseEnded(reusable: true) == .nothing)
    var resetting = machine(resets: true)
    #expect(resetting.upstreamFailed(error) == .abort)
    var redirecting = machine(resets: true)
    let redirect = GatewayError(.redirectRefused)
    #expect(redirecting.upstreamFailed(redirect) == .respond(redirect, client: .keepAlive))
  }

  @Test("lets a client that leaves end the exchange (C5)")
  func clientLeaves() {
    for steps in 0...2 {
      var exchange = machine(content: true)
      if steps > 0 { _ = exchange.upstreamReady(reused: true) }
      if steps > 1 { _ = exchange.finalHeadReceived() }
      #expect(exchange.clientLost() == .abandon)
      #expect(exchange.clientLost() == .nothing)
    }
  }

  @Test("never lets a request that breaks off look whole upstream (B5)")
  func brokenRequest() {
    for isReady in [false, true] {
      var exchange = machine(content: true)
      if isReady { _ = exchange.upstreamReady(reused: true) }
      #expect(exchange.requestRefused(refused) == .refuse(refused, client: .linger))
      #expect(exchange.requestEnded() == .nothing)
      #expect(exchange.finalHeadReceived() == .nothing)
    }
    var answering = machine(content: true)
    _ = answering.upstreamReady(reused: true)
    _ = answering.finalHeadReceived()
    #expect(answering.requestRefused(refused) == .abort)

    // Nothing of it is needed any more: the response goes on, and the rest of the request is not read (R8).
    var discarding = machine(content: true)
    _ = discarding.upstreamReady(reused: true)
    _ = discarding.finalHeadReceived()
    _ = discarding.upstreamRefusedOctets()
    #expect(discarding.requestRefused(refused) == .nothing)
    #expect(discarding.isBroken && !discarding.isDiscarding)
    #expect(discarding.requestContentReceived() == .nothing)
    #expect(discarding.responseEnded(reusable: true) == .finish(reuseUpstream: false, client: .linger))
    var stalled = machine(content: true)
    guard case .refuse(let refusal, .linger) = stalled.requestTimedOut() else {
      Issue.record("a stalled request is answered")
      return
    }
    #expect(refusal.status == 408)
  }

  @Test("lets an early response through, and lingers (R8)")
  func earlyResponse() {
    var exchange = machine(content: true)
    _ = exchange.upstreamReady(reused: true)
    #expect(exchange.finalHeadReceived() == .relayHead(closes: true))
    #expect(exchange.requestContentReceived() == .forward)
    #expect(exchange.responseEnded(reusable: true) == .finish(reuseUpstream: false, client: .linger))
  }

  @Test("drops the rest of an upload that the upstream does not take, and lets its answer through (R8)")
  func refusedUpload() {
    var exchange = machine(content: true)
    _ = exchange.upstreamReady(reused: true)
    #expect(exchange.upstreamRefusedOctets() == .discard)
    #expect(exchange.isDiscarding)
    #expect(exchange.requestContentReceived() == .discard)
    #expect(exchange.finalHeadReceived() == .relayHead(closes: true))
    #expect(exchange.responseEnded(reusable: true) == .finish(reuseUpstream: false, client: .linger))
  }

  @Test(
    "never uses an upstream connection again that did not take the whole request", arguments: [true, false])
  func cutUpload(beforeHead: Bool) {
    var exchange = machine(content: true)
    _ = exchange.upstreamReady(reused: true)
    if beforeHead { _ = exchange.upstreamRefusedOctets() }
    #expect(exchange.finalHeadReceived() == .relayHead(closes: true))
    if !beforeHead { _ = exchange.upstreamRefusedOctets() }
    #expect(exchange.requestEnded() == .nothing)
    #expect(exchange.responseEnded(reusable: true) == .finish(reuseUpstream: false, client: .close))
  }

  @Test("follows a third party's redirect from the start (X2)")
  func redirect() {
    var exchange = machine()
    _ = exchange.upstreamReady(reused: false)
    #expect(exchange.redirectFollowed() == .acquireUpstream(fresh: false))
    #expect(exchange.redirectFollowed() == .nothing)
    #expect(exchange.upstreamReady(reused: true) == .sendRequest)
    #expect(exchange.upstreamLost(afterOctets: false) == .acquireUpstream(fresh: true))
    _ = exchange.upstreamReady(reused: false)
    #expect(exchange.finalHeadReceived() == .relayHead(closes: false))
    #expect(exchange.redirectFollowed() == .nothing)
  }
}
