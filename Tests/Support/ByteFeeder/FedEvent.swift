package import HTTP1
package import HTTPMessage

/// What a parser said, in a form that does not depend on how the octets were cut: neighbouring content is one run.
package enum FedEvent: Equatable, Sendable {
  case request(RequestHead)
  case response(ResponseHead)
  case content([UInt8])
  /// The message ended, with these trailer lines.
  case end(FieldSection)
  case failed(ParseError.Reason)
  /// Octets behind the end of what the parser reads.
  case rest([UInt8])
  /// The octets ended inside a message.
  case incomplete
}

/// A parser under test that is handed octets in pieces.
package protocol Feedable {
  mutating func feed(_ piece: Span<UInt8>)
  /// No more octets come.
  mutating func finish()
  var log: FedLog { get }
}

/// The events so far; joins content.
package struct FedLog: Sendable {
  package private(set) var events: [FedEvent] = []
  package private(set) var hasFailed = false

  package init() {}

  package mutating func add(_ event: FedEvent) {
    if case .failed = event { hasFailed = true }
    events.append(event)
  }

  package mutating func addContent(_ octets: Span<UInt8>) {
    guard !octets.isEmpty else { return }
    var joined: [UInt8] = []
    if case .content(let before) = events.last {
      joined = before
      events.removeLast()
    }
    octets.withUnsafeBufferPointer { joined.append(contentsOf: $0) }
    events.append(.content(joined))
  }

  package mutating func addRest(_ octets: Span<UInt8>) {
    guard !octets.isEmpty else { return }
    var joined: [UInt8] = []
    if case .rest(let before) = events.last {
      joined = before
      events.removeLast()
    }
    octets.withUnsafeBufferPointer { joined.append(contentsOf: $0) }
    events.append(.rest(joined))
  }
}
