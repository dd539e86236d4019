import EventLoop
import Testing

@Suite("The end of an event loop")
struct LoopEndTests {
  /// Knows its loop, as connections and connectors do.
  private final class Handler: EventHandler {
    let loop: EventLoop
    private(set) var id = SourceID.none

    init(_ loop: EventLoop) {
      self.loop = loop
      id = loop.add(self)
    }

    deinit { loop.remove(id) }

    func ready(_ readiness: Readiness) {}
    func deadlinePassed() {}
  }

  @Test("lets handlers go, and the loop with them")
  func letsGo() throws {
    weak var loop: EventLoop?
    weak var handler: Handler?
    func run() throws {
      let made = try EventLoop()
      loop = made
      let owned = Handler(made)
      handler = owned
      made.runAfterTurn { [unowned made] in made.stop() }
      made.run()
    }
    try run()
    #expect(handler == nil)
    #expect(loop == nil)
  }
}
