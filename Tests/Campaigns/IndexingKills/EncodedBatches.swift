internal import Foundation

/// What processes that indexed the same items, one after the other, noted that they encoded.
///
/// What one of them encodes again must be of the last batch that was noted before: every other one
/// was stored, or its failures kept.
struct EncodedBatches {
  private let url: URL
  private var readByteCount = 0
  /// The items of the last batch that was noted.
  private(set) var last: Set<Int> = []
  /// How often each item was encoded.
  private var counts: [Int: Int] = [:]
  private(set) var encodingCount = 0

  init(_ url: URL) {
    self.url = url
  }

  /// Items that were encoded at least once.
  var itemCount: Int { counts.count }

  /// Items of all batches that must have been dealt with for good.
  var settled: some Sequence<Int> { counts.keys.lazy.filter { !last.contains($0) } }

  /// Reads what one process noted since; says what must not be.
  mutating func readLife() -> String? {
    let notes = (FileManager.default.contents(atPath: url.path) ?? Data()).dropFirst(readByteCount)
    readByteCount += notes.count
    let batches = String(decoding: notes, as: UTF8.self).split(separator: "\n")
      .map { $0.split(separator: " ").compactMap { Int($0) } }
    let mayRepeat = last
    var ofLife: Set<Int> = []
    var problem: String?
    for number in batches.joined() {
      encodingCount += 1
      let isFirst = counts.updateValue(counts[number, default: 0] + 1, forKey: number) == nil
      if !ofLife.insert(number).inserted {
        problem = "one process encoded item \(number) twice"
      } else if !isFirst, !mayRepeat.contains(number) {
        problem = "item \(number) was encoded again and is not of the last batch before the kill"
      }
    }
    if let newest = batches.last { last = Set(newest) }
    return problem
  }
}
