import CLinux
import Glibc
import TLSEngine
import Testing

@testable import Transport

/// Two connected sockets that do not block; the first has a small buffer.
private struct Pair {
  let near: Int32
  let far: Int32

  init() throws {
    var ends: [Int32] = [0, 0]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    var size: Int32 = 4096
    _ = setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    (near, far) = (ends[0], ends[1])
  }

  /// Reads up to `limit` octets from the far end.
  func take(_ limit: Int) -> [UInt8] {
    var octets = [UInt8](repeating: 0, count: limit)
    let count = recv(far, &octets, limit, 0)
    return Array(octets[..<max(0, count)])
  }
}

@Suite("A connection without TLS")
struct ByteStreamTests {
  private func random(_ state: inout UInt64, _ bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state >> 16) % bound
  }

  @Test("writes what it was given, in order, however little the socket takes", arguments: 1...12)
  func order(seed: UInt64) throws {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    let pair = try Pair()
    defer { close(pair.far) }
    let stream = ByteStream(descriptor: pair.near, tls: nil)
    var given: [UInt8] = []
    var received: [UInt8] = []
    for _ in 0..<600 {
      let sizes = [1, 16, 700, 2047, 2048, 5000, 16_384, 40_000]
      let size = random(&state, sizes[random(&state, sizes.count)] + 1)
      let octets = (0..<size).map { _ in UInt8(truncatingIfNeeded: random(&state, 251)) }
      switch random(&state, 6) {
      case 0, 1:
        stream.stage(octets)
        given += octets
      case 2, 3:
        octets.withUnsafeBytes { stream.send($0) }
        given += octets
      case 4:
        stream.flush()
      default:
        received += pair.take(1 + random(&state, 60_000))
      }
      #expect(stream.pendingCount + stream.writtenCount == given.count)
    }
    for _ in 0..<100_000 where received.count < given.count {
      stream.flush()
      received += pair.take(65_536)
    }
    #expect(received == given)
    #expect(stream.pendingCount == 0)
    #expect(!stream.isFull)
    #expect(!stream.writingFailed)
  }

  @Test("is full while the socket is blocked, or much is staged")
  func full() throws {
    let pair = try Pair()
    defer { close(pair.far) }
    let stream = ByteStream(descriptor: pair.near, tls: nil)
    stream.stage([UInt8](repeating: 1, count: 65_535))
    #expect(!stream.isFull)
    stream.stage([2])
    #expect(stream.isFull)
    stream.flush()
    #expect(stream.pendingCount > 0)
    #expect(stream.isFull)
    while stream.pendingCount > 0 {
      _ = pair.take(65_536)
      stream.flush()
    }
    #expect(!stream.isFull)
    stream.releaseStorage()
    #expect(stream.pendingCount == 0)
  }

  @Test("drops what comes after a write failed for good", arguments: [10, 3000, 100_000])
  func failure(size: Int) throws {
    let pair = try Pair()
    let stream = ByteStream(descriptor: pair.near, tls: nil)
    close(pair.far)
    let octets = [UInt8](repeating: 1, count: size)
    stream.stage(octets)
    octets.withUnsafeBytes { stream.send($0) }
    stream.flush()
    #expect(stream.writingFailed)
    #expect(stream.pendingCount == 0)
    stream.stage(octets)
    octets.withUnsafeBytes { stream.send($0) }
    #expect(stream.pendingCount == 0)
    #expect(!stream.isFull)
  }

  @Test("reads what is there, and waits for the next edge when that is all")
  func reading() throws {
    let pair = try Pair()
    let stream = ByteStream(descriptor: pair.near, tls: nil)
    var buffer = [UInt8](repeating: 0, count: 4)
    func read() -> StreamResult { buffer.withUnsafeMutableBytes { stream.read(into: $0) } }
    #expect(!stream.hasSomethingToRead)
    #expect(read() == .wouldBlock)
    #expect(!stream.mayHaveMore)
    _ = send(pair.far, "hello!", 6, 0)
    #expect(stream.hasSomethingToRead)
    stream.becameReadable(peerEnded: false)
    #expect(read() == .octets(4))
    #expect(stream.mayHaveMore)
    #expect(read() == .octets(2))
    #expect(!stream.mayHaveMore)
    _ = shutdown(pair.far, Int32(SHUT_WR))
    stream.becameReadable(peerEnded: true)
    #expect(read() == .ended(cleanly: true))
    stream.shutDownWriting()
    #expect(pair.take(1).isEmpty)
    stream.close()
    stream.close()
    close(pair.far)
  }

  @Test("keeps a queue's octets over random steps", arguments: 1...6)
  func queue(seed: UInt64) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    var queue = OctetQueue()
    var model: [UInt8] = []
    for _ in 0..<4000 {
      if random(&state, 2) == 0 {
        let octets = (0..<random(&state, 900)).map { UInt8(truncatingIfNeeded: $0) }
        octets.withUnsafeBytes { queue.append($0) }
        model += octets
      } else {
        let count = random(&state, 4) == 0 ? model.count : random(&state, model.count + 1)
        queue.removeFirst(count)
        model.removeFirst(count)
      }
      #expect(queue.count == model.count)
      #expect(queue.isEmpty == model.isEmpty)
      #expect(queue.octets.elementsEqual(model))
    }
  }
}
