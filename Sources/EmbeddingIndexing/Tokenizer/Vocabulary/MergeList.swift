internal import EmbeddingStores
internal import Foundation

/// The pairs of symbols that are merged, in order, as a file lists them: a line with the version,
/// then a pair on each line.
struct MergeList {
  let pairs: [(Symbol, Symbol)]
  let path: String

  /// What CLIP's vocabulary uses; the file as distributed has more lines.
  static let countInCLIP = 48_894

  /// - Parameter expectsAll: Whether fewer merges than CLIP's vocabulary has are an error.
  init(readFrom url: URL, expectsAll: Bool) throws(StoreError) {
    let file = try VocabularyFile(url)
    path = file.path
    var lines = file.bytes.split(
      separator: UInt8(ascii: "\n"), maxSplits: Self.countInCLIP + 1,
      omittingEmptySubsequences: false
    ).prefix(Self.countInCLIP + 1)
    guard let header = lines.popFirst(), header.firstRange(of: Array("#version".utf8)) != nil else {
      throw StoreError(
        .invalidVocabulary,
        "The file does not begin with a line \"#version\" as lists of merges do: pass "
          + "bpe_simple_vocab_16e6.txt.gz or merges.txt as it is distributed.", path: path)
    }
    if lines.last?.allSatisfy(\.isBlank) == true { lines.removeLast() }
    pairs = try Self.pairs(lines, path: path)
    guard !expectsAll || pairs.count == Self.countInCLIP else {
      throw StoreError(
        .invalidVocabulary,
        "The file has \(pairs.count) merges, and CLIP's vocabulary \(Self.countInCLIP): it is "
          + "truncated or of another model. Take it from the model's distribution again.",
        path: path)
    }
    guard pairs.contains(where: { $1.ends(with: Symbol.wordEnd) }) else {
      throw StoreError(
        .invalidVocabulary,
        "No merge ends a word (</w>), so the file is of another kind of tokenizer than CLIP's. "
          + "Take the one that is distributed with the model.", path: path)
    }
  }

  private static func pairs(
    _ lines: ArraySlice<ArraySlice<UInt8>>, path: String
  ) throws(StoreError) -> [(Symbol, Symbol)] {
    var pairs: [(Symbol, Symbol)] = []
    pairs.reserveCapacity(lines.count)
    for line in lines {
      let parts = line.split(whereSeparator: \.isBlank)
      guard let left = parts.first, let right = parts.last, parts.count == 2 else {
        throw StoreError(
          .invalidVocabulary,
          "Line \(pairs.count + 2) is not a pair of tokens: the file is damaged or of another kind.",
          path: path)
      }
      pairs.append((Symbol(left), Symbol(right)))
    }
    return pairs
  }

  /// The id of a symbol that a merge takes or makes.
  func id(of symbol: Symbol, in ids: TokenIDs) throws(StoreError) -> Int32 {
    guard let id = ids[symbol] else {
      throw StoreError(
        .invalidVocabulary,
        "A merge needs the token \(symbol.spelling), which the vocabulary lacks: the file is "
          + "damaged, or belongs to another vocabulary.", path: path)
    }
    return id
  }
}

extension UInt8 {
  /// A space, a tab or a carriage return.
  fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0d }
}

extension Symbol {
  fileprivate func ends(with suffix: Symbol) -> Bool {
    self.suffix(suffix.count).elementsEqual(suffix)
  }
}
