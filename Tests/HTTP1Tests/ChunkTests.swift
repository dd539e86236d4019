import ByteFeeder
import HTTP1
import HTTPMessage
import Testing

@Suite("Chunks in and out (RFC 9112 section 7.1; rules B2 and B3)")
struct ChunkTests {
  private static let limits = SectionLimits(octets: 8192, fields: 100)
  /// An empty section is its empty line.
  private let noTrailers = {
    var section = FieldSection()
    section.octets = [0x0D, 0x0A]
    return section
  }()

  private func feed(_ octets: [UInt8]) -> [FedEvent] {
    ByteFeeder.feed(octets, make: { ChunkFeed(limits: Self.limits) }) { Issue.record("\($0)") }
  }

  @Test("takes hexadecimal digits at the start of a size, and nothing else", arguments: UInt8.min...UInt8.max)
  func sizeOctet(octet: UInt8) {
    guard let digit = OctetClass.hexValue(octet) else {
      return #expect(feed([octet] + Array("\r\n\r\n".utf8)) == [.failed(.badChunkSize)])
    }
    let content = [UInt8](repeating: 0x0A, count: Int(digit))
    let body = [octet, 0x0D, 0x0A] + (digit > 0 ? content + Array("\r\n0\r\n".utf8) : []) + [0x0D, 0x0A]
    #expect(feed(body) == (digit > 0 ? [.content(content)] : []) + [.end(noTrailers)])
  }

  @Test("takes CR, a semicolon or a digit behind a size, and nothing else", arguments: UInt8.min...UInt8.max)
  func octetBehindSize(octet: UInt8) {
    let events = feed([0x30, octet] + Array("\r\n\r\n".utf8))
    switch octet {
    case 0x30, 0x3B: #expect(events == [.end(noTrailers)])
    case _ where OctetClass.hexValue(octet) != nil: #expect(events != [.failed(.badChunkSize)])
    default: #expect(events == [.failed(.badChunkSize)])
    }
  }

  @Test("takes every octet of a value in an extension", arguments: UInt8.min...UInt8.max)
  func extensionOctet(octet: UInt8) {
    let isLineEnd = octet == 0x0D
    let events = feed(Array("0;a".utf8) + [octet] + Array("b\r\n\r\n".utf8))
    let isTaken = OctetClass.isFieldValue(octet) && !isLineEnd
    #expect(events == [isTaken ? .end(noTrailers) : .failed(.badChunkSize)])
  }

  @Test("bounds all extensions of one body together")
  func extensionLimit() {
    let half = String(repeating: "x", count: ChunkDecoder.extensionLimit / 2)
    let chunk = Array("1;\(half)\r\na\r\n".utf8)
    let exact = chunk + chunk + Array("0\r\n\r\n".utf8)
    #expect(ByteFeeder.run(exact, cuts: [], ChunkFeed(limits: Self.limits)).last == .end(noTrailers))
    let over = chunk + chunk + Array("0;x\r\n\r\n".utf8)
    for cuts in [[], Array(1..<over.count)] {
      let events = ByteFeeder.run(over, cuts: cuts, ChunkFeed(limits: Self.limits))
      #expect(events.last == .failed(.chunkExtensionTooLong))
    }
  }

  @Test(
    "refuses every framing, routing and connection field in trailers, in any case (RFC 9110 section 6.5.1)")
  func forbiddenTrailers() {
    for name in [
      "Content-Length", "transfer-encoding", "HOST", "Connection", "Keep-Alive", "Proxy-Connection", "TE",
      "Trailer",
      "Upgrade", "HTTP2-Settings",
    ] {
      #expect(feed(Array("0\r\nX: 1\r\n\(name): 1\r\n\r\n".utf8)) == [.failed(.framingFieldInTrailers)])
    }
  }

  @Test("writes sizes in the fewest digits", arguments: [1, 9, 10, 15, 16, 255, 256, 4095, 65_536, Int.max])
  func writesSizes(count: Int) {
    var octets: [UInt8] = []
    ChunkEncoder.appendSizeLine(count, to: &octets)
    #expect(String(decoding: octets, as: UTF8.self) == String(count, radix: 16) + "\r\n")
  }

  @Test("reads its own chunks", arguments: [1, 2, 7, 16, 100, 5000])
  func roundTrip(size: Int) {
    let content = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var coded: [UInt8] = []
    for start in stride(from: 0, to: content.count, by: size) {
      let piece = content[start..<min(start + size, content.count)]
      ChunkEncoder.appendSizeLine(piece.count, to: &coded)
      coded += piece + ChunkEncoder.lineEnd
    }
    coded += ChunkEncoder.lastChunk
    #expect(feed(coded) == [.content(content), .end(noTrailers)])
  }
}
