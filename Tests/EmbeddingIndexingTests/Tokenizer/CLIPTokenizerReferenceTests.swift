import EmbeddingIndexing
import EmbeddingTestSupport
import Foundation
import Testing

/// The ids must be those of CLIP's own tokenizer, on strings of every script and kind. Skipped
/// where Python or PyPI cannot be reached; `Reference/reference.py` makes the strings.
@Suite(.enabled(if: PythonReference.isAvailable, "CLIP's tokenizer could not be installed here."))
struct CLIPTokenizerReferenceTests {
  @Test func theIDsEqualTheReference() throws {
    let directory = try TemporaryDirectory()
    let file = { (name: String) in directory.url.appending(path: name) }
    try PythonReference.encodeStrings(into: directory.url)
    let tokenizer = try CLIPTokenizer(vocabularyAt: file("vocabulary.txt.gz"))
    let others = [
      try CLIPTokenizer(vocabularyAt: file("vocabulary.txt")),
      try CLIPTokenizer(vocabularyAt: file("vocab.json"), mergesAt: file("merges.txt")),
    ]
    #expect(tokenizer.vocabularySize == 49_408)

    var outcome = Outcome()
    let start = ContinuousClock.now
    let lines = try Data(contentsOf: file("strings.jsonl")).split(separator: UInt8(ascii: "\n"))
    let decoder = JSONDecoder()
    for (number, line) in lines.enumerated() {
      let string = try decoder.decode(ReferenceString.self, from: line)
      guard !string.dependsOnTheUnicodeVersion else {
        outcome.skip(string)
        continue
      }
      let tokens = tokenizer.encode(string.text)
      outcome.add(string, isEqual: string.isEncoded(as: tokens, by: tokenizer))
      if number.isMultiple(of: 50) {
        #expect(others.allSatisfy { $0.encode(string.text) == tokens }, "\(string.text)")
      }
    }
    print("\(outcome), in \(ContinuousClock.now - start)")
    #expect(outcome.differences.isEmpty, "\(outcome.differences.prefix(5))")
    #expect(outcome.comparedCount - outcome.misreadCount >= 20_000)
    #expect(outcome.scripts.count >= 160)
  }
}

private struct Outcome: CustomStringConvertible {
  var comparedCount = 0
  var misreadCount = 0
  var skippedCount = 0
  /// The scripts that something was compared of, and all.
  var scripts: Set<String> = []
  var allScripts: Set<String> = []
  var counts: [String: Int] = [:]
  var differences: [String] = []

  mutating func add(_ string: ReferenceString, isEqual: Bool) {
    comparedCount += 1
    misreadCount += string.misread ? 1 : 0
    if let script = string.script {
      scripts.insert(script)
      allScripts.insert(script)
    }
    counts[string.script == nil ? string.kind : "scripts", default: 0] += 1
    if !isEqual { differences.append("\(string.kind): \(string.text.debugDescription)") }
  }

  mutating func skip(_ string: ReferenceString) {
    skippedCount += 1
    if let script = string.script { allScripts.insert(script) }
  }

  var description: String {
    let kinds = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    return
      "\(comparedCount) strings compared, \(differences.count) differ; \(misreadCount) without "
      + "the reference's repair of the encoding; \(skippedCount) skipped for the version of "
      + "Unicode; \(scripts.count) of \(allScripts.count) scripts, without "
      + "\(allScripts.subtracting(scripts).sorted()); \(kinds.joined(separator: ", "))"
  }
}

/// A line of `reference.py`.
struct ReferenceString: Decodable {
  var text: String
  /// The tokens' ids without start and end.
  var ids: [Int32]
  var kind: String
  /// The reference would take it for wrongly decoded, the known difference; the ids are those
  /// without that repair.
  var misread: Bool
  /// Characters that one of the reference's copies of Unicode lacks.
  var newer: String

  /// The script whose letters it is of, in strings of that kind.
  var script: String? {
    kind.hasPrefix("script ") ? String(kind.dropFirst("script ".count)) : nil
  }

  /// Whether a newer character is of a sort that a tokenizer without it treats otherwise.
  var dependsOnTheUnicodeVersion: Bool {
    newer.unicodeScalars.contains { scalar in
      let properties = scalar.properties
      // Scripts of Unicode 16 with composed letters.
      let isComposing = [0x11380...0x113ff, 0x16100...0x1613f, 0x16d40...0x16d7f]
        .contains { $0.contains(scalar.value) }
      return properties.generalCategory == .unassigned || properties.isCased
        || properties.canonicalCombiningClass != .notReordered || isComposing
    }
  }

  func isEncoded(as tokens: CLIPTokenizer.Tokens, by tokenizer: CLIPTokenizer) -> Bool {
    let length = tokenizer.contextLength
    var expected = [tokenizer.startID] + ids + [tokenizer.endID]
    if expected.count > length {
      expected = expected.prefix(length - 1) + [tokenizer.endID]
    }
    return tokens.tokenCount == expected.count
      && tokens.ids == expected + Array(repeating: 0, count: length - expected.count)
      && tokens.cutTokenCount == max(0, ids.count + 2 - length)
  }
}
