import Foundation
import Telemetry
import Testing

@Suite("Log lines (rules L1 and G03: one record is one line)")
struct JSONLineTests {
  private func object(_ line: JSONLine) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(line.octets))
    return try #require(value as? [String: Any])
  }

  @Test("escapes every octet that is not printable ASCII", arguments: UInt8.min...UInt8.max)
  func escapes(octet: UInt8) throws {
    var line = JSONLine()
    line.add("value", [0x61, octet, 0x62])
    line.finish()
    #expect(line.octets.last == 0x0A)
    #expect(line.octets.dropLast().allSatisfy { $0 >= 0x20 && $0 < 0x7F })
    // Octets above 0x7F stand for the code point of their value.
    let expected = "a" + String(Unicode.Scalar(octet)) + "b"
    #expect(try object(line)["value"] as? String == expected)
  }

  @Test("keeps a forged line inside its string")
  func forged() throws {
    var line = JSONLine()
    line.add("a", "x\r\n{\"level\":\"error\"}\u{1B}[2J\"\\")
    line.finish()
    #expect(line.octets.filter { $0 == 0x0A }.count == 1)
    #expect(try object(line)["a"] as? String == "x\r\n{\"level\":\"error\"}\u{1B}[2J\"\\")
  }

  @Test("writes numbers, truth and milliseconds")
  func numbers() throws {
    var line = JSONLine()
    line.add("zero", 0)
    line.add("most", Int.max)
    line.add("least", Int.min)
    line.add("minus", -10)
    line.add("yes", true)
    line.add("no", false)
    line.add("text", "constant" as StaticString)
    line.addMilliseconds("ms", 1_234_567_890)
    line.addMilliseconds("short", 999)
    line.addMilliseconds("before", -5)
    line.finish()
    let expected =
      #"{"zero":0,"most":9223372036854775807,"least":-9223372036854775808,"minus":-10,"yes":true,"no":false,"#
      + #""text":"constant","ms":1234.567,"short":0.000,"before":0.000}"# + "\n"
    #expect(String(decoding: line.octets, as: UTF8.self) == expected)
  }

  @Test("starts clean on storage that was used before")
  func reuse() {
    var line = JSONLine(reusing: Array("left over".utf8))
    line.finish()
    #expect(line.octets == Array("{}\n".utf8))
  }
}
