package import HTTPMessage

/// One request and its response: what happens next, whatever comes first. Rules B5, C1, C5, R5, R8 and G2.
///
/// Events are facts, actions are orders; octets never pass through here. Two halves run side by side: the
/// request towards the upstream and the response towards the client.
///
///     request:   receiving ──> complete              receiving ──> discarding ──> complete
///     upstream:  acquiring ──> waiting ──> answering ──> answered | lost
package struct ExchangeStateMachine: Equatable, Sendable {
  /// What is known of the request when its head is complete.
  package struct Request: Equatable, Sendable {
    package var isIdempotent: Bool
    package var hasContent: Bool
    /// The client or HTTP/1.0 asked to close after the response.
    package var wantsClose: Bool

    package init(isIdempotent: Bool, hasContent: Bool, wantsClose: Bool) {
      self.isIdempotent = isIdempotent
      self.hasContent = hasContent
      self.wantsClose = wantsClose
    }
  }

  package enum Action: Equatable, Sendable {
    case nothing
    /// Take a connection from the pool or make one; never a pooled one when `fresh`.
    case acquireUpstream(fresh: Bool)
    /// Write the head and what content there is.
    case sendRequest
    /// Pass content on.
    case forward
    /// Read and drop content.
    case discard
    /// Write the client's head; `closes` puts `Connection: close` in it.
    case relayHead(closes: Bool)
    /// The exchange is over. Return the upstream connection, or close it; serve the next request, or linger
    /// (read and drop what the client still sends) and close.
    case finish(reuseUpstream: Bool, client: ClientEnd)
    /// Close the upstream connection if there is one, answer for ourselves, then as `client` says.
    case respond(GatewayError, client: ClientEnd)
    case refuse(Refusal, client: ClientEnd)
    /// Close the upstream connection and reset the client's: what it has must not look whole.
    case abort
    /// The client is gone: close the upstream connection and let the rest go.
    case abandon
  }

  package enum ClientEnd: Equatable, Sendable {
    case keepAlive
    /// All octets of the request were read: close after the response.
    case close
    /// Octets of the request may still come: close in stages, so that the response is not lost (RFC 9112 9.6).
    case linger
  }

  private enum RequestHalf: Equatable, Sendable {
    case receiving, discarding, complete
    /// It broke a rule, or stalled, while nothing of it was needed any more: no octet of it is read.
    case broken
  }

  private enum Upstream: Equatable, Sendable {
    case acquiring
    /// The request is on its way and no final head has come.
    case waiting(reused: Bool)
    /// The final head was relayed.
    case answering(sending: Bool)
    case over
  }

  private let request: Request
  private let resetsOnFailure: Bool
  private var half: RequestHalf
  private var upstream = Upstream.acquiring
  private var hasRepeated = false
  /// Whether the upstream stopped taking octets, so that its connection may still wait for some of this request.
  private var isUpstreamCut = false
  private var closesClient: Bool

  /// - Parameters:
  ///   - resetsOnFailure: `on_upstream_failure = "reset"` (rule G2).
  package init(_ request: Request, resetsOnFailure: Bool, isDraining: Bool = false) {
    self.request = request
    self.resetsOnFailure = resetsOnFailure
    half = request.hasContent ? .receiving : .complete
    closesClient = request.wantsClose || isDraining
  }

  package var isRequestComplete: Bool { half == .complete }
  /// Whether the rest of the request is read and dropped.
  package var isDiscarding: Bool {
    half == .discarding || (half == .receiving && upstream == .answering(sending: false))
  }
  /// Whether nothing more of the request is to be read.
  package var isBroken: Bool { half == .broken }
  package var isOver: Bool { upstream == .over }
  /// Whether the final head has gone to the client.
  package private(set) var hasRelayedHead = false

  package func start() -> Action { .acquireUpstream(fresh: false) }

  /// The gateway is to stop: the response says `Connection: close`, unless its head is out.
  package mutating func drainingBegan() {
    if !hasRelayedHead { closesClient = true }
  }

  // MARK: The client's side

  package mutating func requestContentReceived() -> Action {
    switch (half, upstream) {
    case (_, .over), (.broken, _): .nothing
    case (.discarding, _), (_, .answering(sending: false)): .discard
    case (.receiving, .acquiring), (.receiving, .waiting), (.receiving, .answering(sending: true)): .forward
    case (.complete, _): .nothing
    }
  }

  package mutating func requestEnded() -> Action {
    guard half != .broken else { return .nothing }
    let wasDiscarding = half == .discarding
    half = .complete
    switch upstream {
    case .acquiring, .waiting, .answering(sending: true): return wasDiscarding ? .nothing : .forward
    case .answering(sending: false), .over: return .nothing
    }
  }

  /// The request broke a rule after its head: a bad chunk, or content over the limit. The upstream's copy
  /// is cut, so that it never looks whole (rule B5).
  package mutating func requestRefused(_ refusal: Refusal) -> Action {
    switch upstream {
    case .acquiring, .waiting:
      upstream = .over
      return .refuse(refusal, client: .linger)
    case .answering where isDiscarding:
      half = .broken  // The response needs nothing of it and goes on.
      return .nothing
    case .answering:
      upstream = .over
      return .abort
    case .over:
      return .nothing
    }
  }

  /// The client reset its connection, ended it inside the request, or took nothing for too long.
  package mutating func clientLost() -> Action {
    guard upstream != .over else { return .nothing }
    upstream = .over
    return .abandon
  }

  /// The client stalled inside its request.
  package mutating func requestTimedOut() -> Action {
    requestRefused(Refusal(408, "C7", "no octet of the request's content came within request_idle_timeout"))
  }

  // MARK: The upstream's side

  package mutating func upstreamReady(reused: Bool) -> Action {
    guard upstream == .acquiring else { return .nothing }
    upstream = .waiting(reused: reused)
    return .sendRequest
  }

  package mutating func upstreamFailed(_ error: GatewayError) -> Action {
    switch upstream {
    case .acquiring, .waiting:
      upstream = .over
      let resets = resetsOnFailure && error.kind != .redirectRefused
      return resets ? .abort : .respond(error, client: ownAnswerEnd)
    case .answering:
      upstream = .over
      return .abort  // The head is out: a cut body must not look whole.
    case .over:
      return .nothing
    }
  }

  /// The connection ended where no response could end.
  /// - Parameter afterOctets: whether any octet of a response had come on it.
  package mutating func upstreamLost(afterOctets: Bool) -> Action {
    if case .waiting(reused: true) = upstream, !afterOctets, request.isIdempotent, !request.hasContent,
      !hasRepeated
    {
      hasRepeated = true
      isUpstreamCut = false
      upstream = .acquiring
      return .acquireUpstream(fresh: true)
    }
    return upstreamFailed(GatewayError(afterOctets ? .responseIncomplete : .connectionTerminated))
  }

  /// Writing to the upstream failed. Its answer may still be readable, so this ends nothing: the rest of the
  /// request is dropped, and the end of the upstream's octets decides.
  package mutating func upstreamRefusedOctets() -> Action {
    guard upstream != .over else { return .nothing }
    isUpstreamCut = true
    if case .answering(sending: true) = upstream { upstream = .answering(sending: false) }
    if half == .receiving {
      half = .discarding
      closesClient = true
    }
    return .discard
  }

  package mutating func finalHeadReceived() -> Action {
    guard case .waiting = upstream else { return .nothing }
    if half != .complete { closesClient = true }
    upstream = .answering(sending: half == .receiving)
    hasRelayedHead = true
    return .relayHead(closes: closesClient)
  }

  /// A third party's redirect that the gateway follows (rule X2): the exchange starts over elsewhere.
  package mutating func redirectFollowed() -> Action {
    guard case .waiting = upstream, half == .complete else { return .nothing }
    upstream = .acquiring
    hasRepeated = false
    isUpstreamCut = false
    return .acquireUpstream(fresh: false)
  }

  /// - Parameter reusable: whether both sides of the upstream connection ended cleanly.
  package mutating func responseEnded(reusable: Bool) -> Action {
    guard case .answering = upstream else { return .nothing }
    upstream = .over
    let isWhole = half == .complete
    let client: ClientEnd = !isWhole ? .linger : closesClient ? .close : .keepAlive
    return .finish(reuseUpstream: reusable && isWhole && !isUpstreamCut, client: client)
  }

  private var ownAnswerEnd: ClientEnd {
    if half != .complete { return .linger }
    return closesClient ? .close : .keepAlive
  }
}
