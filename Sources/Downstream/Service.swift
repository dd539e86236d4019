package import EventLoop
package import OriginClient
import Routing
package import Telemetry

/// One worker's share of everything: its loop, its upstream connections, its clients. Not `Sendable`.
package final class Service {
  package let loop: EventLoop
  let settings: ServiceSettings
  let origins: OriginClient
  package let telemetry: Telemetry
  let clock: WallClock
  let gate: ConnectionGate
  /// For each route, the origin's number in `origins`.
  let routeOrigins: [Int]
  /// Heads are written here on their way out.
  var headBuffer: [UInt8] = []
  package private(set) var isDraining = false
  private var clients: [SourceID: ClientConnection] = [:]
  private var nextNumber: Int
  private let numberStep: Int
  /// Called when the last client of a draining worker is gone.
  private var drained: (() -> Void)?

  /// - Parameters:
  ///   - number: of this worker; connection numbers are unique over all workers.
  package init(
    loop: EventLoop, settings: ServiceSettings, origins: OriginClient, telemetry: Telemetry,
    clock: WallClock, gate: ConnectionGate, number: Int, workers: Int
  ) {
    self.loop = loop
    self.settings = settings
    self.origins = origins
    self.telemetry = telemetry
    self.clock = clock
    self.gate = gate
    routeOrigins = settings.routes.routes.map { origins.register($0.origin) }
    nextNumber = number + 1
    numberStep = workers
    headBuffer.reserveCapacity(4096)
  }

  package var clientCount: Int { clients.count }

  func takeNumber() -> Int {
    defer { nextNumber += numberStep }
    return nextNumber
  }

  func add(_ client: ClientConnection) {
    clients[client.id] = client
  }

  func remove(_ client: ClientConnection) {
    clients[client.id] = nil
    gate.leave()
    if isDraining, clients.isEmpty { finishDraining() }
  }

  // MARK: Ending

  /// Lets running exchanges finish. A connection that is idle gets one more second, since a request may be on its way
  /// to us; its answer says `Connection: close`.
  package func drain(then drained: @escaping () -> Void) {
    guard !isDraining else { return }
    isDraining = true
    self.drained = drained
    for client in clients.values { client.drain() }
    if clients.isEmpty { finishDraining() }
  }

  private func finishDraining() {
    origins.closeIdle()
    let drained = self.drained
    self.drained = nil
    drained?()
  }

  /// Ends what the drain time did not suffice for; nothing of it looks whole.
  package func abortAll() {
    for client in Array(clients.values) { client.abort(reason: "drain_timeout") }
  }

  /// Makes room when descriptors or connections run out: the idle ones go.
  func shedIdle(most: Int) {
    var left = most
    for client in Array(clients.values) where left > 0 {
      if client.closeIfIdle() { left -= 1 }
    }
  }
}
