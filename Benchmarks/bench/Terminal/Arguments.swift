import Foundation

/// What the command line asks for.
struct Arguments {
  enum Command {
    case main
    case peers
    case index
    case tokenizer
    case clusters
    case duplicates
    case text
    case postgres
    case exchange
    case help
  }

  var command = Command.main
  /// A folder in the format of `Benchmarks/Data`; nil means that one.
  var data: String?
  /// How many of the data's rows to take, from the first; nil means all.
  var first: Int?
  /// Rows of a synthetic set; nil means real data.
  var rowCount: Int?
  var dimension: Int?
  /// Whether synthetic rows have no structure.
  var isIsotropic = false
  /// Queries to time.
  var queryCount = 200
  var threadCount = 1
  var json: String?
  /// Where stores are made, nil meaning the temporary directory; the store itself where a folder is
  /// indexed, nil meaning one that is removed at the end.
  var directory: String?
  /// The folder to index, nil meaning this package's, or the tokenizer's vocabulary.
  var operand: String?
  /// What is searched for in what was indexed; none means some lines of it.
  var texts: [String] = []
  /// Peers to run; nil means all.
  var only: String?
  var clusterCount = 20
  /// The least score of near-duplicates; nil means one that few rows reach.
  var score: Float?
  /// Where the page of albums is written; nil means the temporary directory.
  var html: String?
  /// A folder in which keys are paths of pictures.
  var images: String?

  /// The number that 0 stands for filled in.
  var usedThreadCount: Int {
    threadCount > 0 ? threadCount : ProcessInfo.processInfo.activeProcessorCount
  }

  /// With no more rows of real data than a debug build takes, for scripts that read the folder too.
  var limitedInDebugBuild: Arguments {
    guard BuildKind.isDebug else { return self }
    var limited = self
    limited.first = min(first ?? BuildKind.debugRowCount, BuildKind.debugRowCount)
    return limited
  }

  static let help = """
    Usage: bench [options]           build a store from real data, check its answers, time it
           bench peers [options]     time other libraries on the same data beside it
           bench index [FOLDER]      index a folder of text files (default: this package's), go on
                                     where a run before was killed, and answer queries on it
           bench index --rows N      index N synthetic items, check it, time it
           bench tokenizer FILE      time CLIP's tokenizer with its vocabulary
           bench clusters [options]  cluster real data, check and time it beside other libraries,
                                     and write a page of albums to look at
           bench duplicates [options]
                                     find near-duplicates, check and time it beside a product of
                                     all rows with all rows
           bench text [--rows N]     search N records by words (default 200,000), check and time it
                                     beside SQLite's FTS5 used directly
           bench exchange [options]  export, import, archive and restore, check and time it beside
                                     numpy and beside copying files
           bench postgres [options]  copy to a PostgreSQL server and search there and here; started
                                     by Tests/PostgresServer/run.sh

      --data DIR        a folder in the format of Benchmarks/Data (default: that one)
      --first N         only the first N rows of the data, with answers of their own
      --rows N          a synthetic set of N rows instead of real data
      --dimension D     the dimension of the synthetic set (default 384; index: 512)
      --isotropic       synthetic rows without any structure: the worst case
      --queries N       queries to time (default 200, or as many as the data has)
      --threads N       threads of one search (default 1; 0 means one per core)
      --json FILE       write all figures to FILE
      --directory DIR   make stores below DIR (default: the temporary directory);
                        index FOLDER: DIR is the store, and stays (default: one that is removed)
      --query TEXT      index: search for TEXT, may be repeated (default: lines of some files)
      --only NAME,...   peers: these only
      --clusters K      clusters: how many (default 20)
      --html FILE       clusters: where the page goes (default: the temporary directory)
      --images DIR      clusters: show the pictures DIR/KEY in the page
      --score S         duplicates: the least score of a pair (default: one that the nearest other
                        row reaches for about 1 % of the rows)
      --help            this text

    bench needs a release build (swift run -c release bench). It ends with code 1 when a check
    fails, and with 2 when it does not understand its arguments.
    """

  init(parsing words: [String]) throws(ArgumentError) {
    var words = words[...]
    switch words.first {
    case "peers": command = .peers
    case "index": command = .index
    case "tokenizer": command = .tokenizer
    case "clusters": command = .clusters
    case "duplicates": command = .duplicates
    case "text": command = .text
    case "postgres": command = .postgres
    case "exchange": command = .exchange
    default: break
    }
    if command != .main { words = words.dropFirst() }
    while let word = words.popFirst() {
      switch word {
      case "--help", "-h": command = .help
      case "--data": data = try Self.text(of: word, &words)
      case "--first": first = try Self.number(of: word, &words, in: 100...100_000_000)
      case "--rows": rowCount = try Self.number(of: word, &words, in: 1...100_000_000)
      case "--dimension": dimension = try Self.number(of: word, &words, in: 1...4_096)
      case "--isotropic": isIsotropic = true
      case "--queries": queryCount = try Self.number(of: word, &words, in: 1...1_000_000)
      case "--threads": threadCount = try Self.number(of: word, &words, in: 0...1_024)
      case "--json": json = try Self.text(of: word, &words)
      case "--directory": directory = try Self.text(of: word, &words)
      case "--only": only = try Self.text(of: word, &words)
      case "--clusters": clusterCount = try Self.number(of: word, &words, in: 1...65_536)
      case "--score": score = try Self.score(of: word, &words)
      case "--html": html = try Self.text(of: word, &words)
      case "--images": images = try Self.text(of: word, &words)
      case "--query": texts.append(try Self.text(of: word, &words))
      case _ where takesOperand && operand == nil && !word.hasPrefix("-"): operand = word
      default: throw ArgumentError("\"\(word)\" is not an argument of bench.")
      }
    }
    try checkTogether()
  }

  private var takesOperand: Bool { command == .index || command == .tokenizer }

  private static func text(
    of option: String, _ words: inout ArraySlice<String>
  ) throws(ArgumentError) -> String {
    guard let word = words.popFirst(), !word.isEmpty, !word.hasPrefix("--") else {
      throw ArgumentError("\(option) needs a value.")
    }
    return word
  }

  private static func score(
    of option: String, _ words: inout ArraySlice<String>
  ) throws(ArgumentError) -> Float {
    let word = try text(of: option, &words)
    guard let score = Float(word), (-1...1).contains(score) else {
      throw ArgumentError("\(option) needs a number from -1 to 1, not \"\(word)\".")
    }
    return score
  }

  private static func number(
    of option: String, _ words: inout ArraySlice<String>, in range: ClosedRange<Int>
  ) throws(ArgumentError) -> Int {
    let word = try text(of: option, &words)
    guard let number = Int(word), range.contains(number) else {
      throw ArgumentError(
        "\(option) needs a whole number from \(range.lowerBound) to \(range.upperBound), "
          + "not \"\(word)\".")
    }
    return number
  }
}

/// A command line that makes no sense.
struct ArgumentError: Error {
  var message: String

  init(_ message: String) {
    self.message = message
  }
}
