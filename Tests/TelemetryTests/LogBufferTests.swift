import Foundation
import Glibc
import Telemetry
import Testing

@Suite("Lines on their way out")
struct LogBufferTests {
  private func pipeEnds() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    return (ends[0], ends[1])
  }

  private func drain(_ descriptor: Int32) -> [UInt8] {
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count <= 0 { return all }
      all += piece[..<count]
    }
  }

  private func line(_ number: Int, _ size: Int) -> [UInt8] {
    Array("\(number) ".utf8) + [UInt8](repeating: 0x78, count: size) + [0x0A]
  }

  @Test("appends to a file, in order and whole")
  func file() throws {
    let path = NSTemporaryDirectory() + "octet-log-\(UUID().uuidString)"
    defer { unlink(path) }
    var expected: [UInt8] = []
    for _ in 0..<2 {
      let output = try #require(LogOutput.file(path))
      let buffer = LogBuffer(output)
      for number in 0..<500 {
        buffer.append(line(number, number))
        expected += line(number, number)
        if number % 7 == 0 { buffer.flush() }
      }
    }
    #expect(try Array(Data(contentsOf: URL(filePath: path))) == expected)
    #expect(LogOutput.file("/nowhere/at/all") == nil)
  }

  @Test("gives a slow pipe whole lines in order, and never waits")
  func slowPipe() throws {
    let ends = try pipeEnds()
    defer { _ = [ends.read, ends.write].map { close($0) } }
    let buffer = LogBuffer(LogOutput(descriptor: ends.write))
    var expected: [UInt8] = []
    var received: [UInt8] = []
    for number in 0..<800 {
      let next = line(number, number % 300)
      buffer.append(next)
      expected += next
      buffer.flush()
      if number % 250 == 249 { received += drain(ends.read) }
    }
    for _ in 0..<10 {
      buffer.flush()
      received += drain(ends.read)
    }
    #expect(received == expected)
  }

  @Test("takes a line that is longer than a pipe takes in one piece")
  func longLine() throws {
    let ends = try pipeEnds()
    defer { _ = [ends.read, ends.write].map { close($0) } }
    let buffer = LogBuffer(LogOutput(descriptor: ends.write))
    buffer.append(line(1, 10_000))
    buffer.flush()
    #expect(drain(ends.read) == line(1, 10_000))
  }

  @Test("drops what a stuck reader leaves no room for, and says how much")
  func stuck() throws {
    let ends = try pipeEnds()
    defer { _ = [ends.read, ends.write].map { close($0) } }
    let buffer = LogBuffer(LogOutput(descriptor: ends.write))
    for number in 0..<3000 {
      buffer.append(line(number, 1000))
      buffer.flush()
    }
    var received: [UInt8] = []
    for _ in 0..<100 {
      received += drain(ends.read)
      buffer.flush()
    }
    received += drain(ends.read)
    let lines = String(decoding: received, as: UTF8.self).split(separator: "\n")
    let kept = lines.filter { $0.hasSuffix("x") }
    let said = lines.filter { $0.contains("log lines dropped") }
    #expect(kept.count < 1300)
    for (number, text) in kept.enumerated() { #expect(text.hasPrefix("\(number) ")) }
    #expect(said.count == 1)
    #expect(said.first?.contains("\"dropped\":\(3000 - kept.count)}") == true)
  }
}
