/// Feeds the same octets whole, octet by octet, and cut at every point; the events must be equal.
package enum ByteFeeder {
  /// Up to this length every single cut is tried, and up to the second every pair of cuts.
  private static let everyCut = 600
  private static let everyPair = 40

  /// - Parameters:
  ///   - make: a parser as it is before the first octet.
  ///   - disagreed: told which cuts gave other events than the whole did.
  /// - Returns: the events of the octets fed whole.
  package static func feed(
    _ octets: [UInt8], make: () -> some Feedable, disagreed: (String) -> Void
  ) -> [FedEvent] {
    let whole = run(octets, cuts: [], make())
    for cuts in plans(octets.count) {
      let events = run(octets, cuts: cuts, make())
      if events != whole {
        disagreed("cut at \(cuts.count > 4 ? "every octet" : "\(cuts)"): \(events), whole: \(whole)")
        break
      }
    }
    return whole
  }

  /// One run with the octets cut at `cuts`, which ascend.
  package static func run(_ octets: [UInt8], cuts: [Int], _ parser: some Feedable) -> [FedEvent] {
    var parser = parser
    var start = 0
    for end in cuts + [octets.count] {
      parser.feed(octets.span.extracting(start..<end))
      start = end
      if parser.log.hasFailed { break }
    }
    parser.finish()
    return parser.log.events
  }

  private static func plans(_ count: Int) -> [[Int]] {
    guard count > 1 else { return [[0], [count]] }
    var plans = [Array(1..<count)]
    let step = max(1, count / everyCut)
    for cut in stride(from: 0, through: count, by: step) { plans.append([cut]) }
    if count <= everyPair {
      for first in 0..<count {
        for second in first + 1..<count { plans.append([first, second]) }
      }
    }
    return plans
  }
}
