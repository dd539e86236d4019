import CLinux

/// The wall clock as text, formatted once a second.
package final class WallClock {
  private var second: Int64 = -1
  private var fixdate: [UInt8] = []
  private var prefix: [UInt8] = []
  private var nanoseconds: Int64 = 0

  package init() { update() }

  /// Reads the clock; once for each turn of a loop is enough.
  package func update() {
    nanoseconds = octet_wall_nanoseconds()
    let now = nanoseconds / 1_000_000_000
    guard now != second else { return }
    second = now
    let time = CalendarTime(secondsSinceEpoch: now)
    fixdate = time.imfFixdate
    prefix = time.rfc3339Prefix
  }

  /// For Date. RFC 9110 section 5.6.7.
  package var imfFixdate: [UInt8] { fixdate }

  /// With milliseconds. RFC 3339.
  package var rfc3339: [UInt8] {
    let millis = Int(nanoseconds / 1_000_000 % 1000)
    var text = prefix
    text.append(0x2E)
    text.append(0x30 + UInt8(millis / 100))
    text.append(0x30 + UInt8(millis / 10 % 10))
    text.append(0x30 + UInt8(millis % 10))
    text.append(0x5A)
    return text
  }
}
