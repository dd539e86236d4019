/// Who a loop calls about a descriptor or a deadline. Lives on one loop.
package protocol EventHandler: AnyObject {
  /// The descriptor is ready.
  func ready(_ readiness: Readiness)
  /// The deadline has passed; none is set now.
  func deadlinePassed()
}

/// Names a handler on its loop: a slot and the slot's generation.
package struct SourceID: Hashable, Sendable {
  package let raw: UInt64

  static let wake = SourceID(raw: UInt64.max)
  /// No handler.
  package static let none = SourceID(raw: UInt64.max - 1)

  init(raw: UInt64) { self.raw = raw }

  init(index: Int, generation: UInt32) {
    raw = UInt64(generation) << 32 | UInt64(index)
  }

  var index: Int { Int(raw & 0xFFFF_FFFF) }
  var generation: UInt32 { UInt32(raw >> 32) }
}
