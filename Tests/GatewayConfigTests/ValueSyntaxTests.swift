import GatewayConfig
import Testing

@Suite("Values with units")
struct ValueSyntaxTests {
  @Test(
    "reads sizes",
    arguments: [("0", 0), ("65536", 65536), ("64KiB", 65536), ("1MiB", 1 << 20), ("1GiB", 1 << 30)])
  func size(text: String, octets: Int) throws {
    #expect(try Size.parse(text, in: 0...(1 << 30)) == octets)
  }

  @Test(
    "refuses what is no size",
    arguments: ["", "KiB", "1 KiB", "1kib", "1KB", "-1", "+1", "1.5MiB", "01", "1KiBKiB"])
  func noSize(text: String) {
    #expect(throws: ValueError.self) { try Size.parse(text, in: 0...(1 << 30)) }
  }

  @Test(
    "reads durations",
    arguments: [("0s", 0), ("500ms", 500), ("2s", 2000), ("5m", 300_000), ("1h", 3_600_000)])
  func duration(text: String, milliseconds: Int) throws {
    #expect(try Milliseconds.parse(text, in: 0...3_600_000) == milliseconds)
  }

  @Test(
    "refuses what is no duration",
    arguments: ["", "2", "s", "2 s", "2S", "1m30s", "-1s", "1e3s", "9223372036854775807h"])
  func noDuration(text: String) {
    #expect(throws: ValueError.self) { try Milliseconds.parse(text, in: 0...Int.max) }
  }

  @Test(
    "writes what it reads",
    arguments: [0, 1, 999, 1000, 1500, 60_000, 75_000, 90_000, 120_000, 300_000, 3_600_000])
  func durationText(milliseconds: Int) throws {
    let text = Milliseconds.text(milliseconds)
    #expect(try Milliseconds.parse(text, in: 0...Int.max) == milliseconds)
  }

  @Test(
    "reads switches in any case",
    arguments: [("on", true), ("YES", true), ("True", true), ("off", false), ("no", false), ("FALSE", false)])
  func boolean(text: String, value: Bool) throws {
    #expect(try Bool.parse(text) == value)
  }
}
