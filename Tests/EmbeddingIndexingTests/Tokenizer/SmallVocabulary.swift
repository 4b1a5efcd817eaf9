import EmbeddingIndexing
import EmbeddingTestSupport
import Foundation

/// A vocabulary of a few merges in a directory of its own, in the form of two files. Its ids are
/// numbered as CLIP's: bytes from 0, bytes at the end of a word from 256, merges from 512.
struct SmallVocabulary {
  static let merges = [
    "d o", "do g</w>", "c a", "ca t</w>", "t h", "th e</w>", "' s</w>", "1 0", "l l</w>",
    "' ll</w>",
  ]

  let directory: TemporaryDirectory
  var vocabularyURL: URL { directory.url.appending(path: "vocab.json") }
  var mergesURL: URL { directory.url.appending(path: "merges.txt") }

  init(
    merges: [String] = SmallVocabulary.merges, lineEnd: String = "\n",
    changing change: (inout [String: Int]) -> Void = { _ in }
  ) throws {
    directory = try TemporaryDirectory()
    var tokens = Self.bytes + Self.bytes.map { "\($0)</w>" }
    for merge in merges {
      let token = merge.replacing(" ", with: "")
      if !tokens.contains(token) { tokens.append(token) }
    }
    tokens += ["<|startoftext|>", "<|endoftext|>"]
    var ids = Dictionary(uniqueKeysWithValues: tokens.enumerated().map { ($1, $0) })
    change(&ids)
    try JSONEncoder().encode(ids).write(to: vocabularyURL)
    try Self.lines(merges, lineEnd: lineEnd).write(
      to: mergesURL, atomically: false, encoding: .utf8)
  }

  func tokenizer(contextLength: Int = 77) throws -> CLIPTokenizer {
    try CLIPTokenizer(
      vocabularyAt: vocabularyURL, mergesAt: mergesURL, contextLength: contextLength)
  }

  /// The spelling of all bytes, in the order of their ids.
  static let bytes: [String] = {
    let printable = Array(0x21...0x7e) + Array(0xa1...0xac) + Array(0xae...0xff)
    let scalars = printable + Array(0x100...0x143)
    return scalars.compactMap { Unicode.Scalar($0).map { String($0) } }
  }()

  static func lines(_ merges: [String], lineEnd: String = "\n") -> String {
    (["#version: 0.2"] + merges).map { $0 + lineEnd }.joined()
  }

  /// As many merges as CLIP's own file has: the small ones, and pairs of bytes.
  static let mergesOfFullCount: [String] = {
    let pairs = bytes.lazy.flatMap { left in bytes.map { "\(left) \($0)</w>" } }
    return Array((merges + pairs).prefix(48_894))
  }()
}
