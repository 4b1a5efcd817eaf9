internal import Foundation

/// Titles from labels and months, such as "beach, dog, June 2021 – May 2022". Where there are no
/// labels, words stand in.
struct PlainNamer {
  private let monthNames: [String]

  init(locale: Locale) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.locale = locale
    monthNames = calendar.standaloneMonthSymbols
  }

  func title(for summary: AlbumSummary) -> String {
    let names = summary.labels.isEmpty ? summary.words : summary.labels
    var parts = names.prefix(2).map(\.text)
    if let months = summary.months {
      let (first, last) = (name(months.lowerBound), name(months.upperBound))
      parts.append(first == last ? first : "\(first) – \(last)")
    }
    return parts.isEmpty ? "\(summary.count)" : parts.joined(separator: ", ")
  }

  private func name(_ month: Month) -> String {
    let index = month.month - 1
    return monthNames.indices.contains(index)
      ? "\(monthNames[index]) \(month.year)" : "\(month.year)-\(month.month)"
  }
}
