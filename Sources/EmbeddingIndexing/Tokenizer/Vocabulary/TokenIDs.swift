internal import EmbeddingStores
internal import Foundation

/// The ids of all tokens.
struct TokenIDs {
  let path: String
  private let ids: [Symbol: Int32]

  var count: Int { ids.count }

  init(_ ids: [Symbol: Int32], path: String) {
    self.ids = ids
    self.path = path
  }

  /// Reads a JSON object of tokens and their ids.
  init(readFrom url: URL) throws(StoreError) {
    let file = try VocabularyFile(url)
    path = file.path
    let object: [String: Int32]
    do {
      object = try JSONDecoder().decode([String: Int32].self, from: Data(file.bytes))
    } catch {
      throw StoreError(
        .invalidVocabulary,
        "The file is not a JSON object of tokens and their numbers: it is truncated, or of another "
          + "kind. Pass the vocab.json of the model.", path: path)
    }
    let numbers = Set(object.values)
    guard numbers.count == object.count, numbers.allSatisfy({ $0 >= 0 }) else {
      throw StoreError(
        .invalidVocabulary,
        "Two tokens share a number, or a number is negative: the file is damaged. Take it from the "
          + "model's distribution again.", path: path)
    }
    ids = Dictionary(object.map { (Symbol($0.utf8), $1) }, uniquingKeysWith: { $1 })
  }

  subscript(symbol: Symbol) -> Int32? { ids[symbol] }

  /// The id of a token that every vocabulary must have.
  func id(of symbol: Symbol) throws(StoreError) -> Int32 {
    guard let id = ids[symbol] else {
      throw StoreError(
        .invalidVocabulary,
        "The vocabulary lacks the token \(symbol.spelling), so it is not one of CLIP's: pass the "
          + "file that is distributed with the model.", path: path)
    }
    return id
  }

  /// Throws when a token can not be made by what is given, as with merges that were cut short.
  /// Tokens such as `<|pad|>` stand beside the merges.
  func check(areMadeBy made: [Int32], of merges: MergeList) throws(StoreError) {
    let made = Set(made)
    for (symbol, id) in ids where !made.contains(id) && !symbol.isSpecial {
      throw StoreError(
        .invalidVocabulary,
        "No merge makes the token \(symbol.spelling) of the vocabulary: the merges are truncated, "
          + "or belong to another vocabulary.", path: merges.path)
    }
  }
}

extension Symbol {
  /// Whether it is spelled like `<|endoftext|>` or `<mask>`.
  fileprivate var isSpecial: Bool {
    count > 2 && first == UInt8(ascii: "<") && last == UInt8(ascii: ">")
  }
}
