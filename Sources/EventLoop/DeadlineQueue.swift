/// Deadlines by id, soonest first. A binary heap; a value without a clock.
///
/// Moving a deadline later costs nothing: the entry stays, and whoever is woken early asks again. So each
/// source has few entries, however often its deadline moves.
struct DeadlineQueue {
  struct Entry: Equatable {
    var deadline: Int64
    var id: UInt64
  }

  private var heap: [Entry] = []

  var isEmpty: Bool { heap.isEmpty }
  var soonest: Int64? { heap.first?.deadline }

  mutating func insert(_ id: UInt64, at deadline: Int64) {
    heap.append(Entry(deadline: deadline, id: id))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].deadline < heap[parent].deadline else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Takes the soonest entry if it is due.
  mutating func popDue(at now: Int64) -> Entry? {
    guard let first = heap.first, first.deadline <= now else { return nil }
    let last = heap.removeLast()
    guard !heap.isEmpty else { return first }
    heap[0] = last
    var parent = 0
    while true {
      let left = parent * 2 + 1
      guard left < heap.count else { return first }
      let right = left + 1
      let child = right < heap.count && heap[right].deadline < heap[left].deadline ? right : left
      guard heap[child].deadline < heap[parent].deadline else { return first }
      heap.swapAt(child, parent)
      parent = child
    }
  }
}
