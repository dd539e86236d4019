import Glibc

/// Octets waiting to be written, first in, first out. Owns its memory, which it gives back when it is empty.
struct OctetQueue: ~Copyable {
  private var base: UnsafeMutableRawPointer?
  private var capacity = 0
  private var start = 0
  private var end = 0

  /// Kept between messages; more is given back as soon as it is written.
  private static let keptCapacity = 4096

  init() {}

  deinit { free(base) }

  var isEmpty: Bool { start == end }
  var count: Int { end - start }

  var octets: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base.map { UnsafeRawPointer($0 + start) }, count: end - start)
  }

  mutating func append(_ more: UnsafeRawBufferPointer) {
    guard let source = more.baseAddress, !more.isEmpty else { return }
    reserve(more.count)
    guard let base else { return }
    memcpy(base + end, source, more.count)
    end += more.count
  }

  mutating func removeFirst(_ count: Int) {
    start += count
    guard start == end else { return }
    start = 0
    end = 0
    if capacity > OctetQueue.keptCapacity { releaseStorage() }
  }

  mutating func removeAll() {
    removeFirst(count)
  }

  /// Gives the memory back; only when empty.
  mutating func releaseStorage() {
    guard isEmpty else { return }
    free(base)
    base = nil
    capacity = 0
  }

  private mutating func reserve(_ more: Int) {
    if capacity - end >= more { return }
    if let base, start > 0, capacity - (end - start) >= more {
      memmove(base, base + start, end - start)
    } else {
      var wanted = max(capacity, 1024)
      while wanted - (end - start) < more { wanted *= 2 }
      guard let grown = malloc(wanted) else { fatalError("out of memory") }
      if let base {
        memcpy(grown, base + start, end - start)
        free(base)
      }
      base = grown
      capacity = wanted
    }
    end -= start
    start = 0
  }
}
