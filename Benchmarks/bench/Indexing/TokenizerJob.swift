import EmbeddingIndexing
import Foundation

/// Times CLIP's tokenizer on short queries of several scripts.
struct TokenizerJob {
  private let arguments: Arguments
  private let checks = Checks()

  /// What a release build should do on one thread.
  private static let wantedPerSecond = 100_000.0

  private static let subjects: [(script: String, words: [[String]])] = [
    (
      "English",
      [
        ["a dog", "two cats", "my sister", "red apples", "an old car", "fireworks", "the team"],
        ["running", "asleep", "smiling", "in the rain", "at night", "covered in snow"],
        ["on a beach", "in the garden", "by the sea, 2019", "near a lake", "at home"],
      ]
    ),
    (
      "Cyrillic",
      [
        ["собака", "две кошки", "моя сестра", "красные яблоки", "старая машина", "салют"],
        ["бежит", "спит", "улыбается", "под дождём", "ночью", "в снегу"],
        ["на пляже", "в саду", "у моря", "у озера", "дома"],
      ]
    ),
    (
      "Japanese",
      [
        ["犬", "二匹の猫", "私の妹", "赤いりんご", "古い車", "花火"],
        ["走っている", "寝ている", "笑っている", "雨の中", "夜", "雪の中"],
        ["ビーチで", "庭で", "海のそば", "湖の近く", "家で"],
      ]
    ),
  ]

  init(_ arguments: Arguments) {
    self.arguments = arguments
  }

  func run() throws {
    guard let path = arguments.operand else {
      throw ArgumentError(
        "\"bench tokenizer\" needs a vocabulary: bpe_simple_vocab_16e6.txt.gz, which the PyPI package "
          + "clip-anytorch has.")
    }
    try JSONFile.prepare(arguments.json)
    let clock = ContinuousClock.now
    let tokenizer = try CLIPTokenizer(vocabularyAt: URL(filePath: path))
    let loading = Stopwatch.seconds(clock.duration(to: .now))
    let queries = Self.subjects.map { (script: $0.script, phrases: Self.phrases($0.words)) }
    var report = Report(
      data: "short queries", rows: queries.reduce(0) { $0 + $1.phrases.count },
      dimension: tokenizer.contextLength)
    report.figures = [Figure("tokenizer_load", "loading the vocabulary", loading, .seconds)]
    report.figures += queries.map { time(tokenizer, $0.script, $0.phrases) }
    report.failedChecks = checks.failures
    report.printTable()
    try JSONFile.write(report, to: arguments.json)
    try checks.report()
  }

  private static func phrases(_ words: [[String]]) -> [String] {
    words.reduce([""]) { starts, ends in
      starts.flatMap { start in ends.map { start.isEmpty ? $0 : start + " " + $0 } }
    }
  }

  private func time(_ tokenizer: CLIPTokenizer, _ script: String, _ phrases: [String]) -> Figure {
    for phrase in phrases {
      let tokens = tokenizer.encode(phrase)
      checks.expect(
        tokens.ids.count == tokenizer.contextLength && tokens.ids.first == tokenizer.startID
          && !tokens.isTruncated && tokens.tokenCount > 2,
        "\"\(phrase)\" becomes \(tokens.ids)")
    }
    let roundCount = BuildKind.isDebug ? 1 : 100
    var rates: [Double] = []
    for _ in 0..<9 {
      let clock = ContinuousClock.now
      for _ in 0..<roundCount {
        for phrase in phrases { _ = tokenizer.encode(phrase) }
      }
      let seconds = Stopwatch.seconds(clock.duration(to: .now))
      rates.append(Double(roundCount * phrases.count) / seconds)
    }
    let rate = Latencies(rates).median
    return Figure(
      "tokenizer_\(script.lowercased())", "\(script) queries", rate, .queriesPerSecond,
      ratio: rate / Self.wantedPerSecond, to: "the 100,000 wanted")
  }
}
