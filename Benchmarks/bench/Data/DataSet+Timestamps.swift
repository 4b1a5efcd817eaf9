import Foundation

extension DataSet {
  /// Whole months whose share of all rows is nearest to `share`, and that share; nil without
  /// timestamps.
  func timestampRange(admitting share: Double) -> (range: Range<Date>, share: Double)? {
    var counts: [Date: Int] = [:]
    for timestamp in timestamps.compactMap(\.self) { counts[timestamp, default: 0] += 1 }
    let months = counts.sorted { $0.key < $1.key }
    var best: (range: Range<Date>, share: Double)?
    for first in months.indices {
      var count = 0
      for last in first..<months.count {
        count += months[last].value
        let found = Double(count) / Double(rowCount)
        if abs(found - share) < abs((best?.share ?? .infinity) - share) {
          // Timestamps are starts of months, so a day more takes in the last one.
          best = (months[first].key..<months[last].key.addingTimeInterval(86_400), found)
        }
        if found > share { break }
      }
    }
    return best
  }
}
