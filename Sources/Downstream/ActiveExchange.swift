import Exchange
import FieldPolicy
import HTTPMessage
import OriginClient

/// What belongs to one exchange alone: its machine, where it goes, and its upstream connection.
final class ActiveExchange {
  /// What the machine and the policies ask of the request again and again, without its head.
  struct Traits {
    let semantics: MethodSemantics
    let minorVersion: UInt8
    let hasContent: Bool
    let isChunked: Bool
    let acceptsTrailers: Bool

    init(_ head: RequestHead) {
      semantics = head.semantics
      minorVersion = head.minorVersion
      hasContent = head.hasContent
      isChunked = head.framing == .chunked
      acceptsTrailers = head.acceptsTrailers
    }
  }

  var machine: ExchangeStateMachine
  let request: Traits
  let route: Int
  var destination: RequestFieldPolicy.Destination
  /// The number of the origin that is asked: the route's, or where a redirect led.
  var origin: Int
  var upstream: OriginConnection?
  var attempt: OriginClient.Attempt?
  var framing = ClientFraming.asDeclared
  var redirects = 0
  var requestSentAt: Int64 = 0
  /// `upstream.stream.writtenCount` when the deadline for writing was set; -1 when none is.
  var upstreamWrittenAtDeadline = -1

  init(
    machine: ExchangeStateMachine, request: Traits, route: Int,
    destination: RequestFieldPolicy.Destination, origin: Int
  ) {
    self.machine = machine
    self.request = request
    self.route = route
    self.destination = destination
    self.origin = origin
  }
}
