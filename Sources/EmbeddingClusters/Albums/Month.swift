/// A month of a year of the Gregorian calendar.
public struct Month: Hashable, Comparable, Codable, Sendable {
  /// The year, such as 2024.
  public let year: Int
  /// The month of the year, 1 to 12.
  public let month: Int

  /// Names a month.
  public init(year: Int, month: Int) {
    self.year = year
    self.month = month
  }

  /// The earlier one first.
  public static func < (first: Month, second: Month) -> Bool {
    (first.year, first.month) < (second.year, second.month)
  }
}
