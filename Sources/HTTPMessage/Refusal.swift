/// Why a request is not forwarded: a status of ours, the contract's rule, and what was wrong.
///
/// The texts are constants of ours, so that nothing a peer sent gets into an answer or a log.
package struct Refusal: Error, Equatable, Sendable {
  package var status: Int
  /// The rule's id in the forwarding contract, such as `T3`.
  package var rule: StaticRule
  /// What was wrong and what would be right.
  package var detail: StaticText

  package init(_ status: Int, _ rule: StaticRule, _ detail: StaticText) {
    self.status = status
    self.rule = rule
    self.detail = detail
  }
}

package typealias StaticRule = StaticText

/// A constant text that compares by content; `StaticString` alone is not `Equatable`.
package struct StaticText: Equatable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  package let text: StaticString

  package init(stringLiteral value: StaticString) { text = value }

  package var description: String { text.description }

  package static func == (left: StaticText, right: StaticText) -> Bool {
    left.description == right.description
  }
}
