import Exchange
import HTTPMessage
import Testing

/// What may happen to an exchange.
enum Happening: CaseIterable {
  case content, requestEnd, requestRefused, requestTimeout, clientLost
  case readyFresh, readyReused, failed, lostUnanswered, lostAnswering, refusedOctets, finalHead, redirect
  case responseEndReusable, responseEnd

  func apply(to exchange: inout Machine) -> Machine.Action {
    switch self {
    case .content: exchange.requestContentReceived()
    case .requestEnd: exchange.requestEnded()
    case .requestRefused: exchange.requestRefused(Refusal(400, "B3", "bad chunk"))
    case .requestTimeout: exchange.requestTimedOut()
    case .clientLost: exchange.clientLost()
    case .readyFresh: exchange.upstreamReady(reused: false)
    case .readyReused: exchange.upstreamReady(reused: true)
    case .failed: exchange.upstreamFailed(GatewayError(.connectionTimeout))
    case .lostUnanswered: exchange.upstreamLost(afterOctets: false)
    case .lostAnswering: exchange.upstreamLost(afterOctets: true)
    case .refusedOctets: exchange.upstreamRefusedOctets()
    case .finalHead: exchange.finalHeadReceived()
    case .redirect: exchange.redirectFollowed()
    case .responseEndReusable: exchange.responseEnded(reusable: true)
    case .responseEnd: exchange.responseEnded(reusable: false)
    }
  }

  /// Events of the request's content; none come once it is complete.
  var isOfContent: Bool {
    switch self {
    case .content, .requestEnd, .requestRefused, .requestTimeout: true
    default: false
    }
  }
}

/// What holds along every walk. Kept apart from the machine, from its actions alone.
struct Invariants {
  let request: Machine.Request
  let resets: Bool
  private var isComplete: Bool
  private var isBroken = false
  private var isUpstreamWhole = true
  private var hasHead = false
  private var isOver = false
  private var acquisitions = 1
  private var repeats = 0
  private var sends = 0

  init(_ request: Machine.Request, resets: Bool) {
    self.request = request
    self.resets = resets
    isComplete = !request.hasContent
  }

  /// Nothing of a request comes behind its end, nor behind an error in it.
  func mayHappen(_ event: Happening) -> Bool { !(event.isOfContent && (isComplete || isBroken)) }

  /// - Returns: what is broken, or nil.
  mutating func check(_ event: Happening, _ action: Machine.Action) -> String? {
    if event == .requestEnd { isComplete = true }
    if event == .requestRefused || event == .requestTimeout { isBroken = true }
    if event == .refusedOctets { isUpstreamWhole = false }
    if isOver { return action == .nothing ? nil : "an action after the end" }
    switch action {
    case .nothing, .forward, .discard:
      return nil
    case .acquireUpstream(let fresh):
      acquisitions += 1
      isUpstreamWhole = true
      if event == .redirect { repeats = 0 }
      if fresh {
        repeats += 1
        if repeats > 1 { return "repeated twice (C1)" }
        if !request.isIdempotent || request.hasContent { return "repeated what may not be (C1)" }
        if event != .lostUnanswered { return "repeated for another reason (C1)" }
      }
      return hasHead ? "a second upstream after the head" : nil
    case .sendRequest:
      sends += 1
      return sends > acquisitions ? "sent twice on one connection" : nil
    case .relayHead(let closes):
      defer { hasHead = true }
      if hasHead { return "two heads" }
      return !closes && (request.wantsClose || !isComplete) ? "a head that should close" : nil
    case .finish(let reuse, let client):
      isOver = true
      if !hasHead { return "an end without a head" }
      if client == .keepAlive, !isComplete || request.wantsClose { return "kept alive" }
      if (client == .linger) == isComplete { return "lingers where it should not, or the reverse (R8)" }
      if reuse, !isComplete || !isUpstreamWhole || event != .responseEndReusable {
        return "reused upstream (C2)"
      }
      return nil
    case .respond(_, let client), .refuse(_, let client):
      isOver = true
      if hasHead { return "two responses" }
      if case .respond = action, resets { return "answered where a reset is configured (G2)" }
      return client == .keepAlive && (!isComplete || request.wantsClose) ? "kept alive" : nil
    case .abort:
      isOver = true
      return hasHead || resets ? nil : "aborted without a head (G2)"
    case .abandon:
      isOver = true
      return event == .clientLost ? nil : "abandoned without cause"
    }
  }
}

@Suite("All walks of an exchange (rules B5, C1, C5, R5, R8, G2 and X2)")
struct WalkTests {
  private static let length = 6

  @Test("breaks no rule in any sequence of six events", arguments: 0..<16)
  func walks(variant: Int) {
    let request = Machine.Request(
      isIdempotent: variant & 1 != 0, hasContent: variant & 2 != 0, wantsClose: variant & 4 != 0)
    let resets = variant & 8 != 0
    var walked = 0
    var broken: String?
    func walk(_ exchange: Machine, _ invariants: Invariants, _ path: [Happening]) {
      guard path.count < Self.length, broken == nil else { return }
      for event in Happening.allCases where invariants.mayHappen(event) {
        var next = exchange
        var known = invariants
        walked += 1
        if let what = known.check(event, event.apply(to: &next)) {
          broken = "\(what): \(path + [event])"
          return
        }
        // Nothing follows the end but silence; two more events show it.
        if exchange.isOver, path.count >= Self.length - 2 { continue }
        walk(next, known, path + [event])
      }
    }
    let exchange = Machine(request, resetsOnFailure: resets)
    #expect(exchange.start() == .acquireUpstream(fresh: false))
    walk(exchange, Invariants(request, resets: resets), [])
    #expect(broken == nil)
    #expect(walked > 10_000)
  }
}
