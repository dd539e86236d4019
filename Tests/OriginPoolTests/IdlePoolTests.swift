import OriginPool
import Testing

@Suite("Idle upstream connections (rule C2)")
struct IdlePoolTests {
  @Test("uses the connection that was used last")
  func lastFirst() {
    var pool = IdlePool(policy: .init(maximumIdle: 9, keepAlive: 100, maximumAge: 1000))
    #expect(pool.checkOut(origin: 0, now: 0) == nil)
    #expect(pool.checkIn(1, origin: 0, born: 0, now: 0) == .keep(deadline: 100))
    #expect(pool.checkIn(2, origin: 0, born: 0, now: 10) == .keep(deadline: 110))
    #expect(pool.checkIn(3, origin: 4, born: 0, now: 10) == .keep(deadline: 110))
    #expect(pool.checkOut(origin: 0, now: 20) == 2)
    #expect(pool.checkOut(origin: 0, now: 20) == 1)
    #expect(pool.checkOut(origin: 0, now: 20) == nil)
    #expect(pool.checkOut(origin: 4, now: 20) == 3)
    #expect(pool.count == 0)
  }

  @Test("keeps none beyond its age, and gives none at its deadline")
  func age() {
    var pool = IdlePool(policy: .init(maximumIdle: 9, keepAlive: 100, maximumAge: 150))
    #expect(pool.checkIn(1, origin: 0, born: 0, now: 149) == .keep(deadline: 150))
    #expect(pool.checkOut(origin: 0, now: 150) == nil)
    pool.remove(1, origin: 0)
    #expect(pool.count == 0)
    #expect(pool.checkIn(2, origin: 0, born: 0, now: 150) == .close)
    #expect(pool.checkIn(3, origin: 0, born: 0, now: 51) == .keep(deadline: 150))
  }

  @Test("keeps none where there is no room, and lets the oldest go where there is too little")
  func room() {
    var none = IdlePool(policy: .init(maximumIdle: 0, keepAlive: 100, maximumAge: 1000))
    #expect(none.checkIn(1, origin: 0, born: 0, now: 0) == .close)
    var pool = IdlePool(policy: .init(maximumIdle: 2, keepAlive: 100, maximumAge: 1000))
    _ = pool.checkIn(1, origin: 1, born: 0, now: 0)
    _ = pool.checkIn(2, origin: 0, born: 0, now: 1)
    #expect(pool.checkIn(3, origin: 0, born: 0, now: 2) == .keepEvicting(1, deadline: 102))
    #expect(pool.checkIn(4, origin: 2, born: 0, now: 3) == .keepEvicting(2, deadline: 103))
    #expect(pool.count == 2)
    #expect(Set(pool.removeAll()) == [3, 4])
    #expect(pool.count == 0)
    #expect(pool.checkOut(origin: 0, now: 4) == nil)
  }

  @Test("agrees with a list of connections over random steps", arguments: 0..<20)
  func model(seed: UInt64) {
    struct Entry: Equatable {
      var id, deadline: Int64
      var origin: Int
    }
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    func random(_ bound: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state >> 16) % bound
    }
    let policy = IdlePool.Policy(maximumIdle: 1 + random(4), keepAlive: 20, maximumAge: 60)
    var pool = IdlePool(policy: policy)
    var model: [Entry] = []
    var now: Int64 = 0
    var next: Int64 = 0
    for _ in 0..<4000 {
      now += Int64(random(3))
      // As the gateway does: a connection leaves the pool when its deadline comes.
      for entry in model where entry.deadline <= now { pool.remove(UInt64(entry.id), origin: entry.origin) }
      model.removeAll { $0.deadline <= now }
      let origin = random(3)
      switch random(5) {
      case 0, 1:
        next += 1
        let born = now - Int64(random(70))
        let entry = Entry(id: next, deadline: min(now + 20, born + 60), origin: origin)
        let answer = pool.checkIn(UInt64(next), origin: origin, born: born, now: now)
        guard entry.deadline > now else {
          #expect(answer == .close)
          continue
        }
        model.append(entry)
        guard model.count > policy.maximumIdle else {
          #expect(answer == .keep(deadline: entry.deadline))
          continue
        }
        guard case .keepEvicting(let victim, entry.deadline) = answer else {
          Issue.record("nothing made room: \(answer)")
          return
        }
        #expect(victim != UInt64(next))
        // The one that has waited longest at its origin.
        let index = model.firstIndex { $0.id == Int64(victim) }
        let waited = index.map { model[..<$0].contains { $0.origin == model[index ?? 0].origin } }
        #expect(waited == false)
        model.removeAll { $0.id == Int64(victim) }
      case 2, 3:
        let expected = model.lastIndex { $0.origin == origin }
        #expect(pool.checkOut(origin: origin, now: now) == expected.map { UInt64(model[$0].id) })
        if let expected { model.remove(at: expected) }
      default:
        guard !model.isEmpty else { continue }
        let entry = model.remove(at: random(model.count))
        pool.remove(UInt64(entry.id), origin: entry.origin)
        pool.remove(UInt64(entry.id), origin: entry.origin)
      }
      #expect(pool.count == model.count)
    }
  }
}
