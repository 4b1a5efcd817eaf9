/// What is searched for, of each kind.
struct WordSamples {
  struct Sample {
    /// As a user types it.
    var words: String
    /// The same for FTS5.
    var expression: String

    init(_ words: String) {
      self.words = words
      expression = "\"\(words)\""
    }

    /// The beginning of a word.
    init(beginning: String) {
      words = "\(beginning)*"
      expression = "\"\(beginning)\"*"
    }

    /// Words that follow each other.
    init(phrase: String) {
      words = "\"\(phrase)\""
      expression = words
    }

    /// Words that are all there, somewhere.
    init(all words: [String]) {
      self.words = words.joined(separator: " ")
      expression = words.map { "\"\($0)\"" }.joined(separator: " AND ")
    }
  }

  struct Kind {
    var name: String
    var label: String
    var samples: [Sample]
  }

  private let records: TextRecords
  /// Words of the vocabulary that are in some row, and can be asked of both indexes.
  private let usable: [Int]

  init(_ records: TextRecords) {
    self.records = records
    let words = records.corpus.vocabulary.words
    let shortest = records.corpus.script.shortestIndexedLength
    usable = words.indices.filter { words[$0].count >= shortest && records.rowCounts[$0] > 0 }
  }

  /// All kinds that both indexes answer from what they have indexed.
  var kinds: [Kind] {
    let plain = [
      kind("rare", "words of about 10 rows", words(nearTo: 10)),
      kind("medium", "words of about 1 % of the rows", medium),
      kind("common", "the most common words", common),
    ]
    guard records.corpus.script == .latin else { return plain + [longRuns] }
    return plain + [pairs, phrases, beginnings]
  }

  /// Words of two letters, which a trigram index can not answer.
  var shortWords: Kind {
    let words = records.corpus.vocabulary.words
    let short = words.indices.filter { words[$0].count == 2 && records.rowCounts[$0] > 0 }
    return kind("short", "words of two letters", Array(short.prefix(40)))
  }

  var medium: [Int] { words(nearTo: records.texts.count / 100) }

  private var common: [Int] {
    Array(usable.sorted { records.rowCounts[$0] > records.rowCounts[$1] }.prefix(12))
  }

  private func word(_ number: Int) -> String { records.corpus.vocabulary.words[number] }

  private func words(nearTo rowCount: Int) -> [Int] {
    let sorted = usable.sorted {
      abs(records.rowCounts[$0] - rowCount) < abs(records.rowCounts[$1] - rowCount)
    }
    return Array(sorted.prefix(40))
  }

  private func kind(_ name: String, _ label: String, _ words: [Int]) -> Kind {
    Kind(name: name, label: label, samples: words.map { Sample(word($0)) })
  }

  private var pairs: Kind {
    let common = common
    let samples = medium.enumerated().map { position, number in
      Sample(all: [word(number), word(common[position % common.count])])
    }
    return Kind(name: "two", label: "a medium and a common word", samples: samples)
  }

  /// Second and third words of some rows.
  private var phrases: Kind {
    let samples = (0..<40).map { number in
      let made = records.corpus.text(number * records.texts.count / 40)
      return Sample(phrase: made.words[1...2].map(word).joined(separator: " "))
    }
    return Kind(name: "phrase", label: "phrases of two words", samples: samples)
  }

  private var beginnings: Kind {
    let samples = medium.map { Sample(beginning: String(word($0).prefix(4))) }
    return Kind(name: "prefix", label: "beginnings of words", samples: samples)
  }

  /// Second and third words of some rows, which follow each other without a space.
  private var longRuns: Kind {
    let samples = (0..<40).map { number in
      let made = records.corpus.text(number * records.texts.count / 40)
      return Sample(made.words[1...2].map(word).joined())
    }
    return Kind(name: "run", label: "two words in a row", samples: samples)
  }
}
