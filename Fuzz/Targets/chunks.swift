import ByteFeeder
import HTTP1
import HTTPMessage

/// One chunked body: equal events whatever the cuts; and content of ours in chunks of ours comes back.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard let (choice, octets) = split(start, count) else { return 0 }
  let limits = SectionLimits(octets: choice & 1 == 0 ? 4096 : 40, fields: choice & 2 == 0 ? 100 : 2)
  for event in checkCuts(octets, choice: choice, make: { ChunkFeed(limits: limits) }) {
    if case .end(let trailers) = event { checkSection(trailers) }
  }
  roundTrip(octets, pieces: Int(choice >> 2) + 1)
  return 0
}

private func roundTrip(_ content: [UInt8], pieces: Int) {
  var coded: [UInt8] = []
  var rest = content[...]
  while !rest.isEmpty {
    let piece = rest.prefix(pieces)
    rest = rest.dropFirst(pieces)
    ChunkEncoder.appendSizeLine(piece.count, to: &coded)
    coded += piece + ChunkEncoder.lineEnd
  }
  coded += ChunkEncoder.lastChunk
  let events = ByteFeeder.run(coded, cuts: [], ChunkFeed(limits: SectionLimits(octets: 99, fields: 9)))
  var decoded: [UInt8] = []
  for event in events {
    if case .content(let octets) = event { decoded += octets }
    if case .failed(let reason) = event { broken("our own chunks: \(reason)") }
  }
  guard case .end = events.last, decoded == content else { broken("other content than was coded") }
}
