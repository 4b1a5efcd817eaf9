internal import EmbeddingStores
internal import Foundation

/// Sums up one album after the other; what they share is known at the end.
struct AlbumSummaries {
  private struct Part {
    let memberCount: Int
    let labels: [AlbumSummary.Tally]
    let words: [String: Int]
    let months: ClosedRange<Month>?
  }

  private let calendar: Calendar
  private var parts: [Part] = []
  private var wordCounts: [String: Int] = [:]
  private var textCount = 0

  private static let tallyCount = 5
  private static let shortestWord = 4

  init(timeZone: TimeZone) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    self.calendar = calendar
  }

  mutating func add(_ rows: LiveRows, memberCount: Int) throws(StoreError) {
    var labels: [String: Int] = [:]
    for label in try rows.labels().joined() { labels[label, default: 0] += 1 }
    var words: [String: Int] = [:]
    for text in try rows.texts() {
      guard let text else { continue }
      textCount += 1
      for word in Self.words(of: text) { words[word, default: 0] += 1 }
    }
    wordCounts.merge(words, uniquingKeysWith: +)
    let times = try rows.timestamps().compactMap { $0 }
    var months: ClosedRange<Month>?
    if let first = times.min(), let last = times.max() { months = month(first)...month(last) }
    parts.append(
      Part(
        memberCount: memberCount, labels: Self.top(labels), words: words.filter { $0.value > 1 },
        months: months))
  }

  func summaries() -> [AlbumSummary] {
    parts.map { part in
      let words = part.words.filter {
        parts.count == 1 || 2 * wordCounts[$0.key, default: 0] <= textCount
      }
      return AlbumSummary(
        count: part.memberCount, labels: part.labels, words: Self.top(words),
        months: part.months)
    }
  }

  private static func words(of text: String) -> Set<String> {
    Set(
      text.lowercased().split { !$0.isLetter }.lazy.filter { $0.count >= shortestWord }.map(
        String.init))
  }

  private static func top(_ counts: [String: Int]) -> [AlbumSummary.Tally] {
    counts.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }
      .prefix(tallyCount)
      .map { AlbumSummary.Tally(text: $0.key, count: $0.value) }
  }

  private func month(_ milliseconds: Int64) -> Month {
    let date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
    let components = calendar.dateComponents([.year, .month], from: date)
    return Month(year: components.year ?? 0, month: components.month ?? 0)
  }
}
