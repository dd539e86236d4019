import Telemetry
import Testing

@Suite("Moments as text (RFC 9110 section 5.6.7, RFC 3339)")
struct CalendarTimeTests {
  private func fixdate(_ seconds: Int64) -> String {
    String(decoding: CalendarTime(secondsSinceEpoch: seconds).imfFixdate, as: UTF8.self)
  }

  private func prefix(_ seconds: Int64) -> String {
    String(decoding: CalendarTime(secondsSinceEpoch: seconds).rfc3339Prefix, as: UTF8.self)
  }

  @Test("knows these moments")
  func known() {
    #expect(fixdate(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
    #expect(fixdate(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")  // RFC 9110's own example.
    #expect(fixdate(951_782_400) == "Tue, 29 Feb 2000 00:00:00 GMT")
    #expect(fixdate(951_868_799) == "Tue, 29 Feb 2000 23:59:59 GMT")
    #expect(fixdate(951_868_800) == "Wed, 01 Mar 2000 00:00:00 GMT")
    #expect(fixdate(1_709_164_800) == "Thu, 29 Feb 2024 00:00:00 GMT")
    #expect(fixdate(4_107_542_399) == "Sun, 28 Feb 2100 23:59:59 GMT")  // 2100 is no leap year.
    #expect(fixdate(4_107_542_400) == "Mon, 01 Mar 2100 00:00:00 GMT")
    #expect(fixdate(2_147_483_648) == "Tue, 19 Jan 2038 03:14:08 GMT")
    #expect(fixdate(-1) == "Wed, 31 Dec 1969 23:59:59 GMT")
    #expect(prefix(1_000_000_000) == "2001-09-09T01:46:40")
    #expect(prefix(253_402_300_799) == "9999-12-31T23:59:59")
    #expect(prefix(-62_167_219_200) == "0000-01-01T00:00:00")
  }

  @Test("agrees with a calendar that counts days one by one, from 1600 to 2500")
  func everyDay() {
    var (year, month, day, weekday) = (1600, 1, 1, 6)  // A Saturday.
    let first: Int64 = -135_140
    for number in 0..<Int64(329_000) {
      let time = CalendarTime(secondsSinceEpoch: (first + number) * 86_400 + number % 86_400)
      let isEqual = time.year == year && time.month == month && time.day == day && time.weekday == weekday
      guard isEqual else {
        Issue.record("\(year)-\(month)-\(day): \(time)")
        return
      }
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      weekday = (weekday + 1) % 7
      day += 1
      if day > lengths[month - 1] { (month, day) = (month + 1, 1) }
      if month > 12 { (year, month) = (year + 1, 1) }
    }
  }
}
