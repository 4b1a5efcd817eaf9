import Foundation

/// Numbers as people read them.
enum Decimals {
  static func text(_ value: some BinaryFloatingPoint, places: Int) -> String {
    String(format: "%.\(places)f", Double(value))
  }

  /// Three significant digits or all whole ones, with a comma between thousands.
  static func text(_ value: Double) -> String {
    guard value.isFinite else { return "-" }
    let size = abs(value)
    if size >= 100 { return grouped(value) }
    return text(value, places: size >= 10 ? 1 : size >= 1 ? 2 : 3)
  }

  private static func grouped(_ value: Double) -> String {
    let digits = text(abs(value), places: 0)
    var groups = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { groups.append(",") }
      groups.append(digit)
    }
    return value < 0 ? "-" + groups : groups
  }
}
