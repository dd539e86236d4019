import CLinux
import Glibc

/// One thread's loop over epoll: readiness, deadlines, wake-ups. Not `Sendable`: everything on it belongs to its
/// thread, and only `LoopWaker` reaches it from outside.
///
/// Handlers are found by slot and generation, so that a readiness that was fetched before its handler went away
/// is dropped and never delivered to the slot's next owner.
package final class EventLoop {
  package struct SystemError: Error, Equatable {
    package let call: String
    package let code: Int32
  }

  private struct Slot {
    var handler: (any EventHandler)?
    var generation: UInt32 = 0
    /// In nanoseconds of the loop's clock.
    var deadline: Int64?
    /// When the queue looks at it next; never after the deadline.
    var scheduledAt: Int64?
  }

  /// Monotonic nanoseconds, read once for each turn.
  package private(set) var now: Int64
  /// One buffer for all reads on this loop: what is not passed on within the turn is copied.
  package let scratch: UnsafeMutableRawBufferPointer
  package static let scratchSize = 65_536

  private let epoll: Int32
  private let wake: Int32
  private var slots: [Slot] = []
  private var free: [Int] = []
  private var deadlines = DeadlineQueue()
  private var stops = false
  private var messages: LoopWaker?
  private var afterTurn: [() -> Void] = []
  /// Called when a turn begins and when it ends, such as for reading a clock and flushing logs.
  package var startOfTurn: (() -> Void)?
  package var endOfTurn: (() -> Void)?

  package init() throws(SystemError) {
    epoll = epoll_create1(octet_cloexec)
    guard epoll >= 0 else { throw SystemError(call: "epoll_create1", code: errno) }
    wake = eventfd(0, octet_cloexec | octet_nonblock)
    guard wake >= 0 else {
      let code = errno
      close(epoll)
      throw SystemError(call: "eventfd", code: code)
    }
    scratch = .allocate(byteCount: EventLoop.scratchSize, alignment: 64)
    now = octet_monotonic_nanoseconds()
    guard octet_epoll_control(epoll, EPOLL_CTL_ADD, wake, octet_epoll_in, SourceID.wake.raw) == 0 else {
      throw SystemError(call: "epoll_ctl", code: errno)
    }
  }

  deinit {
    scratch.deallocate()
    close(wake)
    close(epoll)
  }

  /// A handle with which other threads reach this loop.
  package func makeWaker() -> LoopWaker {
    if let messages { return messages }
    let waker = LoopWaker(descriptor: dup(wake))
    messages = waker
    return waker
  }

  // MARK: Handlers

  /// Gives a handler its id; needed before descriptors and deadlines.
  package func add(_ handler: any EventHandler) -> SourceID {
    let index: Int
    if let reused = free.popLast() {
      index = reused
    } else {
      index = slots.count
      slots.append(Slot())
    }
    slots[index].handler = handler
    return SourceID(index: index, generation: slots[index].generation)
  }

  /// Lets a handler go; its descriptors are the caller's to close.
  package func remove(_ id: SourceID) {
    guard isCurrent(id) else { return }
    let generation = slots[id.index].generation
    slots[id.index] = Slot(generation: generation &+ 1)
    free.append(id.index)
  }

  private func isCurrent(_ id: SourceID) -> Bool {
    id.index < slots.count && slots[id.index].generation == id.generation
  }

  // MARK: Descriptors

  package func watch(
    _ descriptor: Int32, for interest: Interest, by id: SourceID
  ) throws(SystemError) {
    guard octet_epoll_control(epoll, EPOLL_CTL_ADD, descriptor, interest.bits, id.raw) == 0 else {
      throw SystemError(call: "epoll_ctl", code: errno)
    }
  }

  package func change(_ descriptor: Int32, to interest: Interest, by id: SourceID) {
    _ = octet_epoll_control(epoll, EPOLL_CTL_MOD, descriptor, interest.bits, id.raw)
  }

  package func unwatch(_ descriptor: Int32) {
    _ = octet_epoll_control(epoll, EPOLL_CTL_DEL, descriptor, 0, 0)
  }

  // MARK: Deadlines

  /// Sets or moves the handler's one deadline, in nanoseconds of the loop's clock; nil ends it.
  package func setDeadline(_ deadline: Int64?, of id: SourceID) {
    guard isCurrent(id) else { return }
    slots[id.index].deadline = deadline
    guard let deadline else { return }
    if let scheduled = slots[id.index].scheduledAt, scheduled <= deadline { return }
    slots[id.index].scheduledAt = deadline
    deadlines.insert(id.raw, at: deadline)
  }

  package func setDeadline(afterMilliseconds milliseconds: Int, of id: SourceID) {
    setDeadline(now + Int64(milliseconds) * 1_000_000, of: id)
  }

  private func fireDeadlines() {
    while let entry = deadlines.popDue(at: now) {
      let id = SourceID(raw: entry.id)
      guard isCurrent(id), slots[id.index].scheduledAt == entry.deadline else { continue }
      slots[id.index].scheduledAt = nil
      guard let deadline = slots[id.index].deadline else { continue }
      if deadline <= now {
        slots[id.index].deadline = nil
        slots[id.index].handler?.deadlinePassed()
      } else {
        setDeadline(deadline, of: id)
      }
    }
  }

  // MARK: Running

  /// Runs `body` when the current turn's events have all been delivered.
  package func runAfterTurn(_ body: @escaping () -> Void) {
    afterTurn.append(body)
  }

  package func stop() { stops = true }

  /// Runs until `stop()`, then lets all handlers go: they know the loop and the loop knows them.
  package func run() {
    let capacity = 512
    let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: capacity)
    defer { events.deallocate() }
    while !stops {
      let count = epoll_wait(epoll, events, Int32(capacity), waitMilliseconds())
      now = octet_monotonic_nanoseconds()
      startOfTurn?()
      var index = 0
      while index < Int(count) {
        deliver(events + index)
        index += 1
      }
      fireDeadlines()
      runDeferred()
      endOfTurn?()
    }
    releaseHandlers()
  }

  /// A handler's end may call `remove`, so nothing is released while the slots are changed.
  private func releaseHandlers() {
    let released = (slots, afterTurn)
    slots = []
    free = []
    afterTurn = []
    withExtendedLifetime(released) {}
  }

  /// What is deferred from here on waits for the next turn, so that nobody starves the others.
  private func runDeferred() {
    guard !afterTurn.isEmpty else { return }
    let bodies = afterTurn
    afterTurn.removeAll(keepingCapacity: true)
    for body in bodies { body() }
  }

  private func deliver(_ event: UnsafeMutablePointer<epoll_event>) {
    let id = SourceID(raw: octet_epoll_data(event))
    if id == .wake {
      var count: UInt64 = 0
      _ = read(wake, &count, 8)
      messages?.deliver(on: self)
    } else if isCurrent(id), let handler = slots[id.index].handler {
      handler.ready(Readiness(bits: event.pointee.events))
    }
  }

  private func waitMilliseconds() -> Int32 {
    if !afterTurn.isEmpty { return 0 }
    guard let soonest = deadlines.soonest else { return -1 }
    let wait = (soonest - octet_monotonic_nanoseconds() + 999_999) / 1_000_000
    return Int32(max(0, min(wait, 60_000)))
  }
}
