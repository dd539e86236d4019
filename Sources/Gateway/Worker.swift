import Downstream
import EventLoop
import GatewayConfig
import Glibc
import OriginClient
import TLSEngine
import Telemetry

/// What one worker thread needs to begin; handed over once.
struct WorkerPlan: Sendable {
  let number: Int
  let workers: Int
  let settings: ServiceSettings
  let origins: OriginSettings
  /// Listening descriptors of this worker, with their listener's TLS context.
  let sockets: [(descriptor: Int32, context: ServerContext?)]
  let access: LogOutput?
  let events: LogOutput?
  let gate: ConnectionGate
  let drainMilliseconds: Int
}

/// One thread with its loop, its listeners and its connections. From outside it is told to drain, and joined.
final class Worker: @unchecked Sendable {
  private let plan: WorkerPlan
  private let loop: EventLoop
  private let waker: LoopWaker
  private var thread = pthread_t()
  // Touched on the worker's own thread alone.
  private var listeners: [Listener] = []
  private var service: Service?
  private var drainDeadline: DrainDeadline?

  init(_ plan: WorkerPlan) throws(EventLoop.SystemError) {
    self.plan = plan
    loop = try EventLoop()
    waker = loop.makeWaker()
  }

  func start() {
    let context = Unmanaged.passRetained(self).toOpaque()
    let result = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Worker>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context)
    precondition(result == 0, "pthread_create failed")
  }

  /// Stops accepting, lets exchanges finish within the drain time, then ends the thread.
  func drain() {
    waker.send { [self] _ in beginDraining() }
  }

  func join() {
    pthread_join(thread, nil)
  }

  private func run() {
    let clock = WallClock()
    let telemetry = Telemetry(access: plan.access, events: plan.events, clock: clock)
    guard let origins = OriginClient(loop: loop, settings: plan.origins) else {
      telemetry.event(.error, "libcurl could not be started")
      telemetry.flush()
      return
    }
    let service = Service(
      loop: loop, settings: plan.settings, origins: origins, telemetry: telemetry, clock: clock,
      gate: plan.gate, number: plan.number, workers: plan.workers)
    self.service = service
    loop.startOfTurn = { clock.update() }
    loop.endOfTurn = { telemetry.flush() }
    for socket in plan.sockets {
      do {
        listeners.append(
          try Listener(descriptor: socket.descriptor, context: socket.context, service: service))
      } catch {
        telemetry.event(.error, "a listener could not be watched", [("call", error.call)])
      }
    }
    loop.run()
    telemetry.flush()
    loop.startOfTurn = nil
    loop.endOfTurn = nil
    self.service = nil
    drainDeadline = nil
    listeners = []
  }

  private func beginDraining() {
    guard let service, !service.isDraining else { return }
    for listener in listeners { listener.close() }
    let deadline = DrainDeadline(loop: loop, milliseconds: plan.drainMilliseconds) { [self] in
      self.service?.telemetry.event(
        .warning, "drain_timeout passed: open exchanges are cut", [("connections", "\(service.clientCount)")])
      self.service?.abortAll()
      loop.stop()
    }
    drainDeadline = deadline
    service.drain { [self] in loop.stop() }
  }
}

/// The one deadline of draining.
private final class DrainDeadline: EventHandler {
  private let passed: () -> Void

  init(loop: EventLoop, milliseconds: Int, passed: @escaping () -> Void) {
    self.passed = passed
    loop.setDeadline(afterMilliseconds: milliseconds, of: loop.add(self))
  }

  func ready(_ readiness: Readiness) {}
  func deadlinePassed() { passed() }
}
