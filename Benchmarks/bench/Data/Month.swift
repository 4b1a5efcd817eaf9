import Foundation

/// A month of the Gregorian calendar, read from `YYYY-MM`.
struct Month {
  let year: Int
  let month: Int

  init?(_ text: String) {
    let fields = text.split(separator: "-", omittingEmptySubsequences: false)
    guard fields.count == 2, fields[0].utf8.count == 4, fields[1].utf8.count == 2,
      fields.joined().allSatisfy({ $0.isASCII && $0.isNumber }),
      let year = Int(fields[0]), let month = Int(fields[1]), (1...12).contains(month)
    else { return nil }
    self.year = year
    self.month = month
  }

  /// Its first moment, UTC.
  var start: Date {
    // Days since 1970 with years taken to start in March, so that a leap day comes last.
    let marchYear = month > 2 ? year : year - 1
    let marchMonth = (month + 9) % 12
    let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
    let days = marchYear * 365 + leapDays + (153 * marchMonth + 2) / 5 - 719_468
    return Date(timeIntervalSince1970: Double(days) * 86_400)
  }
}
