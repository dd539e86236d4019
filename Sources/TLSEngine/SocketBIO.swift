import CLinux
import COpenSSL
import Glibc

/// What a session's BIO knows of its socket. Lives as long as the BIO.
struct SocketState {
  var descriptor: Int32
  /// The last read took all there was; a new edge from the kernel must come before the next one.
  var isDrained = false
  /// The peer has ended its side: read on to the end, however short the reads.
  var peerEnded = false
  /// A read found the end of the stream.
  var sawEnd = false
  /// A call failed for good.
  var failed = false
  /// Records are collected, so that several go out in one call.
  var isBatching = false
  var staged = RecordStage()
}

/// Finished records on their way to the socket, in one piece of memory that is held only while some are there.
struct RecordStage {
  private var base: UnsafeMutableRawPointer?
  private var start = 0
  private var end = 0

  /// Four full records with their headers and tags.
  private static let capacity = 4 * (16_384 + 64)

  var count: Int { end - start }

  /// - Returns: false when there is no room.
  mutating func append(_ octets: UnsafeRawPointer, _ count: Int) -> Bool {
    guard end + count <= RecordStage.capacity else { return false }
    if base == nil { base = malloc(RecordStage.capacity) }
    guard let base else { return false }
    memcpy(base + end, octets, count)
    end += count
    return true
  }

  /// Sends what the socket takes.
  /// - Returns: false when sending failed for good.
  mutating func send(to descriptor: Int32) -> Bool {
    while let base, count > 0 {
      let sent = octet_send(descriptor, base + start, count)
      if sent < 0 { return errno == EAGAIN || errno == EINTR }
      start += sent
    }
    release()
    return true
  }

  mutating func release() {
    free(base)
    base = nil
    start = 0
    end = 0
  }
}

/// A BIO over a non-blocking socket, edge-triggered: after a short read it does not ask the kernel again, which saves
/// one system call a request.
enum SocketBIO {
  static func make(descriptor: Int32) -> (bio: OpaquePointer, state: UnsafeMutablePointer<SocketState>)? {
    guard let method, let bio = BIO_new(method) else { return nil }
    let state = UnsafeMutablePointer<SocketState>.allocate(capacity: 1)
    state.initialize(to: SocketState(descriptor: descriptor))
    BIO_set_data(bio, state)
    BIO_set_init(bio, 1)
    return (bio, state)
  }

  /// Made once; never freed, as BIOs refer to it.
  nonisolated(unsafe) private static let method: OpaquePointer? = {
    guard let method = BIO_meth_new(BIO_get_new_index() | 0x0400, "octet socket") else { return nil }
    BIO_meth_set_read(method) { bio, octets, count in
      guard let bio, let octets, let state = SocketBIO.state(of: bio) else { return -1 }
      return SocketBIO.read(bio, octets, Int(count), state)
    }
    BIO_meth_set_write(method) { bio, octets, count in
      guard let bio, let octets, let state = SocketBIO.state(of: bio) else { return -1 }
      return SocketBIO.write(bio, octets, Int(count), state)
    }
    BIO_meth_set_ctrl(method) { bio, command, _, _ in
      switch command {
      case BIO_CTRL_FLUSH, BIO_CTRL_PUSH, BIO_CTRL_POP: return 1
      case BIO_CTRL_EOF: return bio.flatMap(SocketBIO.state)?.pointee.sawEnd == true ? 1 : 0
      default: return 0
      }
    }
    BIO_meth_set_destroy(method) { bio in
      guard let bio, let state = SocketBIO.state(of: bio) else { return 1 }
      BIO_set_data(bio, nil)
      state.pointee.staged.release()
      state.deallocate()
      return 1
    }
    return method
  }()

  private static func state(of bio: OpaquePointer) -> UnsafeMutablePointer<SocketState>? {
    BIO_get_data(bio)?.assumingMemoryBound(to: SocketState.self)
  }

  private static func read(
    _ bio: OpaquePointer, _ octets: UnsafeMutablePointer<CChar>, _ count: Int,
    _ state: UnsafeMutablePointer<SocketState>
  ) -> Int32 {
    octet_bio_clear_retry(bio)
    if state.pointee.isDrained {
      octet_bio_set_retry_read(bio)
      return -1
    }
    let received = octet_receive(state.pointee.descriptor, octets, count)
    if received > 0 {
      if received < count, !state.pointee.peerEnded { state.pointee.isDrained = true }
      return Int32(received)
    }
    if received == 0 {
      state.pointee.sawEnd = true
      return 0
    }
    if errno == EAGAIN || errno == EINTR {
      state.pointee.isDrained = errno == EAGAIN
      octet_bio_set_retry_read(bio)
    } else {
      state.pointee.failed = true
    }
    return -1
  }

  private static func write(
    _ bio: OpaquePointer, _ octets: UnsafePointer<CChar>, _ count: Int,
    _ state: UnsafeMutablePointer<SocketState>
  ) -> Int32 {
    octet_bio_clear_retry(bio)
    if state.pointee.isBatching, state.pointee.staged.append(octets, count) { return Int32(count) }
    if state.pointee.staged.count > 0 {
      // Records leave in order: first the collected ones, then this one.
      guard state.pointee.staged.send(to: state.pointee.descriptor) else {
        state.pointee.failed = true
        return -1
      }
      guard state.pointee.staged.count == 0 else {
        octet_bio_set_retry_write(bio)
        return -1
      }
      if state.pointee.isBatching, state.pointee.staged.append(octets, count) { return Int32(count) }
    }
    let sent = octet_send(state.pointee.descriptor, octets, count)
    if sent >= 0 { return Int32(sent) }
    if errno == EAGAIN || errno == EINTR {
      octet_bio_set_retry_write(bio)
    } else {
      state.pointee.failed = true
    }
    return -1
  }
}
