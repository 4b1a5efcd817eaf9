import EmbeddingStores
import EmbeddingTextSearch
import Foundation

extension TextMeasurements {
  /// The ten best rows, by both in turns.
  mutating func measureSearches(_ samples: WordSamples) throws {
    for kind in samples.kinds {
      let times = try Latencies.inTurns(kind.samples.repeated, alternatives: 2) { way, sample in
        if way == 0 {
          _ = try pair.index.search(words: WordQuery(sample.words))
        } else {
          _ = try pair.direct.matches(sample.expression, count: 10)
        }
      }
      add(kind.name, kind.label, times[0], against: times[1])
    }
    if script == .dense { try measureShortWords(samples.shortWords) }
    try measureFilter(samples)
  }

  /// Trigrams leave the direct index nothing but to read every text.
  private mutating func measureShortWords(_ kind: WordSamples.Kind) throws {
    let times = try Latencies.inTurns(kind.samples.prefix(10), alternatives: 2) { way, sample in
      if way == 0 {
        _ = try pair.index.search(words: WordQuery(sample.words))
      } else {
        _ = try pair.direct.rows(containing: sample.words)
      }
    }
    add(kind.name, kind.label + " (directly: reading every text)", times[0], against: times[1])
  }

  /// Common words among 1 % of the rows; directly, without the condition.
  private mutating func measureFilter(_ samples: WordSamples) throws {
    guard let common = samples.kinds.first(where: { $0.name == "common" }) else { return }
    let start = Double(records.texts.count / 2)
    let filter = Filter(
      timestamps: Date(
        timeIntervalSince1970: start)..<Date(
          timeIntervalSince1970: start + Double(records.texts.count / 100)))
    let times = try Latencies.inTurns(common.samples.repeated, alternatives: 2) { way, sample in
      if way == 0 {
        _ = try pair.index.search(words: WordQuery(sample.words), filter: filter)
      } else {
        _ = try pair.direct.matches(sample.expression, count: 10)
      }
    }
    add(
      "filtered", "common words in 1 % of the rows (directly: in all)", times[0],
      against: times[1])
  }

  /// Words and vectors together; directly, the same two searches one after the other.
  mutating func measureHybrid(_ samples: WordSamples) throws {
    guard let medium = samples.kinds.first(where: { $0.name == "medium" }) else { return }
    let depth = Fusion().depth
    let vector = TextRecords.vector(-1)
    let times = try Latencies.inTurns(medium.samples.repeated, alternatives: 2) { way, sample in
      if way == 0 {
        _ = try pair.index.search(HybridQuery(.vector(vector), words: WordQuery(sample.words)))
      } else {
        _ = try pair.store.search(for: vector, count: depth)
        _ = try pair.direct.matches(sample.expression, count: depth)
      }
    }
    add("hybrid", "medium words and a vector", times[0], against: times[1])
  }

  private mutating func add(
    _ name: String, _ label: String, _ times: Latencies, against other: Latencies
  ) {
    for (suffix, percent) in [("p50", 50), ("p99", 99)] {
      add(
        "\(name)_\(suffix)", "\(label), \(suffix)", times.percentile(percent) * 1e3,
        .milliseconds, against: other.percentile(percent) * 1e3)
    }
  }
}

extension [WordSamples.Sample] {
  /// Each of them some times, about 100 in all.
  fileprivate var repeated: Self {
    Array([Self](repeating: self, count: Swift.max(1, 100 / Swift.max(1, count))).joined())
  }
}
