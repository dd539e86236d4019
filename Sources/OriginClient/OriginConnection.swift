package import EventLoop
package import Transport

/// Who uses an upstream connection at the moment.
package protocol OriginConnectionUser: AnyObject {
  func originReady(_ readiness: Readiness)
  func originDeadlinePassed()
}

/// One connection to an origin: made by libcurl, spoken on by us. In use by one exchange, or idle in the pool.
package final class OriginConnection: EventHandler {
  package let stream: ByteStream
  package let origin: Int
  package private(set) var id = SourceID.none
  /// What the pool knows it by.
  var number: UInt64 = 0
  /// When it was connected, in nanoseconds of the loop's clock.
  let born: Int64
  let handle: EasyHandle
  /// Set for as long as an exchange holds the connection; whoever gives it back breaks this tie.
  var user: (any OriginConnectionUser)?
  private unowned let client: OriginClient

  init(
    _ handle: EasyHandle, stream: ByteStream, origin: Int, client: OriginClient, loop: EventLoop
  ) throws(EventLoop.SystemError) {
    self.handle = handle
    self.stream = stream
    self.origin = origin
    self.client = client
    born = loop.now
    id = loop.add(self)
    loop.unwatch(stream.descriptor)
    do {
      try loop.watch(stream.descriptor, for: .edges, by: id)
    } catch {
      loop.remove(id)
      throw error
    }
  }

  package func ready(_ readiness: Readiness) {
    if readiness.canRead { stream.becameReadable(peerEnded: readiness.peerEnded) }
    if let user {
      user.originReady(readiness)
    } else {
      client.idleConnectionReady(self)
    }
  }

  package func deadlinePassed() {
    if let user {
      user.originDeadlinePassed()
    } else {
      client.idleConnectionExpired(self)
    }
  }
}
