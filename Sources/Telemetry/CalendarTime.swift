/// A moment of the wall clock as the texts we write: IMF-fixdate for Date (RFC 9110 section 5.6.7), RFC 3339 for logs.
/// Pure: seconds in, text out.
package struct CalendarTime: Equatable, Sendable {
  package let year, month, day, hour, minute, second, weekday: Int

  /// - Parameter seconds: since 1970-01-01T00:00:00Z.
  package init(secondsSinceEpoch seconds: Int64) {
    var days = Int(seconds / 86_400)
    var rest = Int(seconds % 86_400)
    if rest < 0 {
      rest += 86_400
      days -= 1
    }
    hour = rest / 3600
    minute = rest / 60 % 60
    second = rest % 60
    weekday = ((days + 4) % 7 + 7) % 7
    // Days to civil date in the proleptic Gregorian calendar, counted in eras of 400 years from 0000-03-01.
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// `Mon, 30 Nov 2026 14:38:30 GMT`
  package var imfFixdate: [UInt8] {
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let date = "\(days[weekday]), \(two(day)) \(months[month - 1]) \(four(year))"
    return Array("\(date) \(two(hour)):\(two(minute)):\(two(second)) GMT".utf8)
  }

  /// `2026-11-30T14:38:30`, to be followed by a fraction and `Z`.
  package var rfc3339Prefix: [UInt8] {
    Array("\(four(year))-\(two(month))-\(two(day))T\(two(hour)):\(two(minute)):\(two(second))".utf8)
  }

  private func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

  private func four(_ value: Int) -> String {
    let text = "\(value)"
    return String(repeating: "0", count: max(0, 4 - text.count)) + text
  }
}
