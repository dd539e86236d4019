/// Reads messages from a channel and keeps what came too early for later.
final class WireReader {
  private let channel: Channel
  private var buffer: [UInt8] = []
  private var start = 0
  /// Told each time octets arrive, before anything is made of them.
  private let observe: ([UInt8]) -> Void
  /// How the other side ended the connection, once it was seen.
  private(set) var end = ConnectionEnd.open

  init(_ channel: Channel, observe: @escaping ([UInt8]) -> Void = { _ in }) {
    self.channel = channel
    self.observe = observe
  }

  /// Octets that arrived and were not taken.
  var pending: [UInt8] { Array(buffer[start...]) }

  /// Waits for more octets; throws the end of the connection or a timeout.
  func fill(_ what: String, _ deadline: Deadline, count: Int = 65_536) throws(PeerError) {
    guard end == .open else { throw .ended(end) }
    if start > 0 {
      buffer.removeFirst(start)
      start = 0
    }
    switch channel.read(count, deadline) {
    case .octets(let octets):
      buffer += octets
      observe(octets)
    case .end(let end):
      self.end = end
      throw .ended(end)
    case .timedOut: throw .timedOut(what)
    }
  }

  /// Takes everything up to and including `mark`.
  func take(through mark: [UInt8], _ what: String, _ deadline: Deadline) throws(PeerError) -> [UInt8] {
    var searched = start
    while true {
      if let found = Octets.find(mark, in: buffer, from: searched) {
        defer { start = found + mark.count }
        return Array(buffer[start..<(found + mark.count)])
      }
      let before = buffer.count - start
      try fill(what, deadline)
      searched = max(start, start + before - mark.count + 1)
    }
  }

  /// A head, through its empty line.
  func head(_ deadline: Deadline) throws(PeerError) -> WireHead {
    WireHead(try take(through: [0x0D, 0x0A, 0x0D, 0x0A], "a head", deadline))
  }

  /// Adds exactly `count` octets to `body`; what came before a failure is in it too.
  func content(_ count: Int, into body: inout WireBody, _ deadline: Deadline) throws(PeerError) {
    var left = count
    while left > 0 {
      if start == buffer.count { try fill("\(left) more octets of content", deadline) }
      let taken = buffer[start..<min(buffer.count, start + left)]
      body.raw += taken
      body.content += taken
      start += taken.count
      left -= taken.count
    }
  }

  /// Adds everything until the other side ends the connection; returns how it did.
  func untilEnd(into body: inout WireBody, _ deadline: Deadline) throws(PeerError) -> ConnectionEnd {
    while true {
      body.raw += buffer[start...]
      body.content += buffer[start...]
      start = buffer.count
      do throws(PeerError) {
        try fill("the end of the connection", deadline)
      } catch .ended(let end) {
        return end
      }
    }
  }

  /// Adds a chunked body with its trailers. RFC 9112 section 7.1.
  func chunked(into body: inout WireBody, _ deadline: Deadline) throws(PeerError) {
    while true {
      let line = try take(through: [0x0D, 0x0A], "a chunk size", deadline)
      body.raw += line
      let digits = line.dropLast(2).prefix { $0 != 0x3B }
      guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), size >= 0 else {
        throw .malformed("chunk size line " + Octets.text(line))
      }
      if size == 0 { break }
      body.chunkSizes.append(size)
      try content(size, into: &body, deadline)
      let end = try take(2, deadline)
      body.raw += end
      guard end == [0x0D, 0x0A] else { throw .malformed("no CRLF after a chunk") }
    }
    while true {
      let line = try take(through: [0x0D, 0x0A], "a trailer line", deadline)
      body.raw += line
      if line.count == 2 { return }
      body.trailers += line
    }
  }

  private func take(_ count: Int, _ deadline: Deadline) throws(PeerError) -> [UInt8] {
    while buffer.count - start < count { try fill("\(count) octets", deadline) }
    defer { start += count }
    return Array(buffer[start..<(start + count)])
  }
}
