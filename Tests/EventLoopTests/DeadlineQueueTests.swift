import Testing

@testable import EventLoop

@Suite("Deadlines, soonest first")
struct DeadlineQueueTests {
  @Test("gives nothing before it is due")
  func due() {
    var queue = DeadlineQueue()
    #expect(queue.isEmpty)
    #expect(queue.soonest == nil)
    #expect(queue.popDue(at: .max) == nil)
    queue.insert(7, at: 10)
    #expect(queue.soonest == 10)
    #expect(queue.popDue(at: 9) == nil)
    #expect(queue.popDue(at: 10) == DeadlineQueue.Entry(deadline: 10, id: 7))
    #expect(queue.isEmpty)
  }

  @Test("keeps entries of equal deadlines and equal ids")
  func equals() {
    var queue = DeadlineQueue()
    for id: UInt64 in [1, 2, 1] { queue.insert(id, at: 5) }
    let ids = (0..<3).compactMap { _ in queue.popDue(at: 5)?.id }
    #expect(ids.sorted() == [1, 1, 2])
    #expect(queue.popDue(at: 5) == nil)
  }

  @Test("gives all entries in the order of a sorted list", arguments: 1...60)
  func sorts(count: Int) {
    var state = UInt64(count) &* 0x9E37_79B9_7F4A_7C15
    var queue = DeadlineQueue()
    var model: [Int64] = []
    for step in 0..<count * 40 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      if state & 3 != 0, model.count < count {
        let deadline = Int64(state >> 8 & 63)
        queue.insert(UInt64(step), at: deadline)
        model.append(deadline)
      } else {
        let now = Int64(state >> 20 & 63)
        let expected = model.min().flatMap { $0 <= now ? $0 : nil }
        #expect(queue.popDue(at: now)?.deadline == expected)
        if let expected, let index = model.firstIndex(of: expected) { model.remove(at: index) }
      }
      #expect(queue.soonest == model.min())
      #expect(queue.isEmpty == model.isEmpty)
    }
  }
}
