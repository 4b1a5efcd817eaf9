import Foundation

/// What the command line asks for.
struct Arguments {
  enum Command {
    case main
    case peers
    case index
    case postgres
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
  /// The folder to index; nil means this package's.
  var folder: String?
  /// What is searched for in what was indexed; none means some lines of it.
  var texts: [String] = []
  /// Peers to run; nil means all.
  var only: String?

  /// The number that 0 stands for filled in.
  var usedThreadCount: Int {
    threadCount > 0 ? threadCount : ProcessInfo.processInfo.activeProcessorCount
  }

  static let help = """
    Usage: bench [options]           build a store from real data, check its answers, time it
           bench peers [options]     time other libraries on the same data beside it
           bench index [FOLDER]      index a folder of text files (default: this package's), go on
                                     where a run before was killed, and answer queries on it
           bench index --rows N      index N synthetic items, check it, time it
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
      --help            this text

    bench needs a release build (swift run -c release bench). It ends with code 1 when a check
    fails, and with 2 when it does not understand its arguments.
    """

  init(parsing words: [String]) throws(ArgumentError) {
    var words = words[...]
    switch words.first {
    case "peers": command = .peers
    case "index": command = .index
    case "postgres": command = .postgres
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
      case "--query": texts.append(try Self.text(of: word, &words))
      case _ where command == .index && folder == nil && !word.hasPrefix("-"): folder = word
      default: throw ArgumentError("\"\(word)\" is not an argument of bench.")
      }
    }
    try checkTogether()
  }

  private func checkTogether() throws(ArgumentError) {
    if data != nil, rowCount != nil {
      throw ArgumentError("--data names real data and --rows asks for synthetic data: use one.")
    }
    if dimension != nil || isIsotropic, rowCount == nil {
      throw ArgumentError("--dimension and --isotropic belong to a synthetic set: give --rows too.")
    }
    if first != nil, rowCount != nil {
      throw ArgumentError("--first belongs to real data; --rows says how many synthetic rows.")
    }
    if command == .peers || command == .postgres, rowCount != nil {
      throw ArgumentError("Peers are timed on a folder: give --data instead of --rows.")
    }
    if command != .peers, only != nil {
      throw ArgumentError("--only belongs to \"bench peers\".")
    }
    try checkIndexing()
  }

  private func checkIndexing() throws(ArgumentError) {
    guard command == .index else {
      if !texts.isEmpty { throw ArgumentError("--query belongs to \"bench index\".") }
      return
    }
    if data != nil || first != nil || isIsotropic {
      throw ArgumentError("\"bench index\" takes a folder of text files or --rows, no other data.")
    }
    if rowCount != nil, folder != nil || !texts.isEmpty {
      throw ArgumentError("--rows asks for synthetic items, which have no folder and no texts.")
    }
    for text in texts where !text.contains(where: { $0.isLetter || $0.isNumber }) {
      throw ArgumentError("--query needs a letter or a digit, not \"\(text)\".")
    }
  }

  private static func text(
    of option: String, _ words: inout ArraySlice<String>
  ) throws(ArgumentError) -> String {
    guard let word = words.popFirst(), !word.isEmpty, !word.hasPrefix("--") else {
      throw ArgumentError("\(option) needs a value.")
    }
    return word
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
