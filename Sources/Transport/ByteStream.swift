import CLinux
import Glibc
package import TLSEngine

/// A TCP connection with or without TLS: reads into the caller's buffer, writes what it can and keeps the rest in
/// order. Decides nothing; used on one loop.
package final class ByteStream {
  package let descriptor: Int32
  package let tls: TLSSession?
  private let closesDescriptor: Bool
  private var queue = OctetQueue()
  /// A short read emptied the socket; wait for the next edge.
  private var isDrained = false
  private var peerEnded = false
  private var isClosed = false
  /// A write failed for good; octets given from then on are dropped.
  package private(set) var writingFailed = false

  /// The socket took less than it was given; it says when it takes more.
  private var isBlocked = false
  /// Octets that the socket has taken so far.
  package private(set) var writtenCount = 0

  /// Whether more should wait: the socket is blocked, or enough is staged.
  package var isFull: Bool { isBlocked || pendingCount >= ByteStream.stageLimit }

  private static let stageLimit = 65_536

  /// Small octets are joined before they are written, so that a head and its content share a segment and a record.
  private static let joinLimit = 16_384
  /// From this size on, octets are written from where they are.
  private static let directSize = 2048

  /// - Parameter closesDescriptor: false where another library owns the socket.
  package init(descriptor: Int32, tls: TLSSession?, closesDescriptor: Bool = true) {
    self.descriptor = descriptor
    self.tls = tls
    self.closesDescriptor = closesDescriptor
  }

  deinit { close() }

  // MARK: Reading

  /// The kernel's edge: there may be octets, or the end.
  package func becameReadable(peerEnded ended: Bool) {
    isDrained = false
    if ended { peerEnded = true }
    tls?.becameReadable(peerEnded: ended)
  }

  /// Whether a read may bring something without a new edge.
  package var mayHaveMore: Bool { tls?.mayHaveMore ?? !isDrained }

  package func read(into octets: UnsafeMutableRawBufferPointer) -> StreamResult {
    if let tls { return tls.read(into: octets) }
    if isDrained { return .wouldBlock }
    let received = octet_receive(descriptor, octets.baseAddress, octets.count)
    if received > 0 {
      if received < octets.count, !peerEnded { isDrained = true }
      return .octets(received)
    }
    if received == 0 { return .ended(cleanly: true) }
    if errno == EINTR { return read(into: octets) }
    if errno == EAGAIN {
      isDrained = true
      return .wouldBlock
    }
    return .failed
  }

  /// Whether the socket holds octets or its end, asked of the kernel (rule C2).
  package var hasSomethingToRead: Bool {
    var octet: UInt8 = 0
    let result = octet_peek(descriptor, &octet, 1)
    return result >= 0 || (errno != EAGAIN && errno != EINTR)
  }

  // MARK: Writing

  /// Octets that could not be written yet.
  package var pendingCount: Int { queue.count + (tls?.stagedCount ?? 0) }

  /// Keeps octets for the next `flush` or `send`.
  package func stage(_ octets: UnsafeRawBufferPointer) {
    guard !writingFailed else { return }
    queue.append(octets)
  }

  package func stage(_ octets: [UInt8]) {
    octets.withUnsafeBytes { stage($0) }
  }

  /// Writes octets behind what is staged; large ones go out from where they are, without a copy, as far as the
  /// socket takes them.
  package func send(_ octets: UnsafeRawBufferPointer) {
    guard !writingFailed, !octets.isEmpty else { return }
    if !queue.isEmpty {
      if queue.count + octets.count <= ByteStream.joinLimit {
        queue.append(octets)
        return
      }
      if tls == nil {
        sendTwo(octets)
        return
      }
      fillRecord(octets)
      return
    }
    guard octets.count >= ByteStream.directSize else { return queue.append(octets) }
    // A full record is seldom alone.
    if octets.count >= ByteStream.joinLimit { tls?.beginBatch() }
    let written = writeSome(octets)
    if written < octets.count, !writingFailed {
      queue.append(UnsafeRawBufferPointer(rebasing: octets[written...]))
    }
  }

  /// Fills what is staged up to one TLS record, writes it, and goes on behind it.
  private func fillRecord(_ octets: UnsafeRawBufferPointer) {
    let room = max(0, ByteStream.joinLimit - queue.count)
    queue.append(UnsafeRawBufferPointer(rebasing: octets[..<room]))
    let rest = UnsafeRawBufferPointer(rebasing: octets[room...])
    tls?.beginBatch()
    writeQueue()
    if queue.isEmpty {
      send(rest)
    } else {
      queue.append(rest)
    }
  }

  /// Writes what is staged, as far as the socket takes it.
  package func flush() {
    writeQueue()
    sendStaged()
  }

  private func writeQueue() {
    guard !queue.isEmpty else { return }
    let written = writeSome(queue.octets)
    queue.removeFirst(writingFailed ? queue.count : written)
  }

  /// Sends the records that were collected.
  private func sendStaged() {
    guard let tls, !writingFailed, tls.isBatching || tls.stagedCount > 0 else { return }
    let before = tls.stagedCount
    guard tls.endBatch() else { return failWriting() }
    writtenCount += before - tls.stagedCount
    if tls.stagedCount > 0 { isBlocked = true } else if queue.isEmpty { isBlocked = false }
  }

  private func sendTwo(_ octets: UnsafeRawBufferPointer) {
    let staged = queue.octets
    let sent = octet_send_two(
      descriptor, staged.baseAddress, staged.count, octets.baseAddress, octets.count)
    if sent < 0, errno != EAGAIN, errno != EINTR {
      failWriting()
      return
    }
    let written = max(0, sent)
    writtenCount += written
    let ofStaged = min(written, staged.count)
    queue.removeFirst(ofStaged)
    let rest = octets[(written - ofStaged)...]
    isBlocked = !rest.isEmpty || !queue.isEmpty
    if !rest.isEmpty { queue.append(UnsafeRawBufferPointer(rebasing: rest)) }
  }

  /// - Returns: how many octets the socket, or the TLS session, took.
  private func writeSome(_ octets: UnsafeRawBufferPointer) -> Int {
    var written = 0
    defer { isBlocked = written < octets.count && !writingFailed }
    while written < octets.count {
      let rest = UnsafeRawBufferPointer(rebasing: octets[written...])
      switch writeOnce(rest) {
      case .octets(let count):
        written += count
        writtenCount += count
        if tls == nil, count < rest.count { return written }
      case .wouldBlock:
        return written
      case .ended, .failed:
        failWriting()
        return written
      }
    }
    return written
  }

  private func writeOnce(_ octets: UnsafeRawBufferPointer) -> StreamResult {
    if let tls { return tls.write(octets) }
    let sent = octet_send(descriptor, octets.baseAddress, octets.count)
    if sent >= 0 { return .octets(sent) }
    if errno == EAGAIN || errno == EINTR { return .wouldBlock }
    return .failed
  }

  private func failWriting() {
    writingFailed = true
    isBlocked = false
    queue.removeAll()
  }

  // MARK: Ending

  /// Gives back what an idle connection does not need.
  package func releaseStorage() {
    queue.releaseStorage()
  }

  /// Ends our side in order: close_notify, then FIN. The peer may still send.
  package func shutDownWriting() {
    guard !isClosed else { return }
    tls?.sendCloseNotify()
    _ = shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Makes the close a reset, without close_notify: nothing the peer has will look whole.
  package func resetOnClose() {
    tls?.forgetCloseNotify()
    _ = octet_reset_on_close(descriptor)
  }

  /// Closes at once; idempotent.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    if closesDescriptor { _ = Glibc.close(descriptor) }
  }
}
