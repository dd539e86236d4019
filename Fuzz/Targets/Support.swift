import ByteFeeder

/// Stops the fuzzer, which then writes the input to a file.
func broken(_ what: String) -> Never { fatalError(what) }

/// Runs the octets whole, octet by octet, and cut at places that `choice` decides; the events must be equal.
func checkCuts(_ octets: [UInt8], choice: UInt8, make: () -> some Feedable) -> [FedEvent] {
  let whole = ByteFeeder.run(octets, cuts: [], make())
  var state = UInt64(choice) &* 0x9E37_79B9_7F4A_7C15 | 1
  var cuts: [Int] = []
  for index in 0..<octets.count {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    if state >> 20 & 7 == 0 { cuts.append(index) }
  }
  let some = ByteFeeder.run(octets, cuts: cuts, make())
  if some != whole { broken("cut at \(cuts): \(some), whole: \(whole)") }
  let single = ByteFeeder.run(octets, cuts: Array(0..<octets.count), make())
  if single != whole { broken("octet by octet: \(single), whole: \(whole)") }
  return whole
}

/// The input without its first octet, which chooses.
func split(_ start: UnsafePointer<UInt8>, _ count: Int) -> (choice: UInt8, octets: [UInt8])? {
  guard count > 0 else { return nil }
  return (start[0], Array(UnsafeBufferPointer(start: start + 1, count: count - 1)))
}
