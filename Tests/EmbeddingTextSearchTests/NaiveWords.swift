import EmbeddingStores
import Foundation

@testable import EmbeddingTextSearch

/// Words, filters and fusion in the slow and plain way, over records in a list: the definition that
/// the index is compared with. It shares the tokenizer with it, and nothing else.
struct NaiveWords {
  struct Row {
    let record: Record
    let fields: [[[String]]]
    var length: Int { fields.joined().joined().count + labelEndCount }
    var labelEndCount: Int { max(0, record.labels.count - 1) }
    var isEmpty: Bool { length == labelEndCount && fields.joined().joined().isEmpty }
  }

  var rows: [Row]

  init(_ records: [Record]) {
    rows = records.map { record in
      let texts = record.text.map { [$0] } ?? []
      let labels = record.labels.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      return Row(record: record, fields: [texts, labels].map { $0.map(Self.tokens) })
    }
  }

  static func tokens(_ text: String) -> [String] {
    WordTokenizer.tokens(in: text).map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  /// How often a phrase is in a row.
  func occurrences(_ phrase: [String], isPrefix: Bool, in row: Row) -> Int {
    row.fields.joined().reduce(0) { sum, tokens in
      sum
        + tokens.indices.filter { start in
          guard start + phrase.count <= tokens.count else { return false }
          return phrase.indices.allSatisfy { offset in
            let token = tokens[start + offset]
            return isPrefix && offset == phrase.count - 1
              ? token.utf8.starts(with: phrase[offset].utf8) : token == phrase[offset]
          }
        }.count
    }
  }

  /// BM25 as FTS5 defines it, k1 = 1.2 and b = 0.75, of the rows that have the phrases.
  func scores(_ phrases: [([String], isPrefix: Bool)], all: Bool) -> [(Record, Double)] {
    let indexed = rows.filter { !$0.isEmpty }
    let counts = phrases.map { phrase in
      indexed.map { occurrences(phrase.0, isPrefix: phrase.isPrefix, in: $0) }
    }
    let total = Double(indexed.count)
    let average = indexed.reduce(0) { $0 + Double($1.length) } / total
    let weights = counts.map { counts in
      let having = Double(counts.count { $0 > 0 })
      let weight = log((total - having + 0.5) / (having + 0.5))
      return weight <= 0 ? 1e-6 : weight
    }
    var found: [(Record, Double)] = []
    for (index, row) in indexed.enumerated() {
      let present = counts.map { $0[index] > 0 }
      guard all ? !present.contains(false) : present.contains(true) else { continue }
      var score = 0.0
      for phrase in phrases.indices {
        let frequency = Double(counts[phrase][index])
        score +=
          weights[phrase]
          * (frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * Double(row.length) / average)))
      }
      found.append((row.record, score))
    }
    return found
  }
}
