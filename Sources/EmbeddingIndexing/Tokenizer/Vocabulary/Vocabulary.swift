internal import EmbeddingStores

/// The tokens' ids and the merges, over ids.
struct Vocabulary: Sendable {
  /// The token of each byte within a word, and at its end.
  let byteIDs: [Int32]
  let endingByteIDs: [Int32]
  let startID: Int32
  let endID: Int32
  /// The number of tokens.
  let count: Int
  /// The token that each merge makes, by the merge's rank.
  let mergedIDs: [Int32]

  private let ranks: [UInt64: UInt32]

  /// The place of the pair's merge in the vocabulary; pairs of low rank are merged first.
  func rank(of left: Int32, _ right: Int32) -> UInt32? {
    ranks[Self.key(left, right)]
  }

  /// Numbers the tokens as the reference does: bytes, bytes at the end of a word, what the merges
  /// make, the start and the end.
  init(numberingMergesOf merges: MergeList) throws(StoreError) {
    var ids: [Symbol: Int32] = [:]
    var next: Int32 = 0
    let bytes = ByteSymbols.inOrder.map(\.symbol)
    let endings = bytes.map { $0 + Symbol.wordEnd }
    let merged = merges.pairs.map { $0 + $1 }
    for symbol in [bytes, endings, merged].joined() {
      // Of two merges that make the same token, the later gives it its id.
      ids[symbol] = next
      next += 1
    }
    ids[Symbol.start] = next
    ids[Symbol.end] = next + 1
    try self.init(ids: TokenIDs(ids, path: merges.path), merges: merges)
  }

  /// Joins ids and merges, which must belong together.
  init(ids: TokenIDs, merges: MergeList) throws(StoreError) {
    startID = try ids.id(of: Symbol.start)
    endID = try ids.id(of: Symbol.end)
    count = ids.count
    var byteIDs = [Int32](repeating: 0, count: 256)
    var endingByteIDs = byteIDs
    for (byte, symbol) in ByteSymbols.inOrder {
      byteIDs[Int(byte)] = try ids.id(of: symbol)
      endingByteIDs[Int(byte)] = try ids.id(of: symbol + Symbol.wordEnd)
    }
    self.byteIDs = byteIDs
    self.endingByteIDs = endingByteIDs

    var ranks: [UInt64: UInt32] = [:]
    ranks.reserveCapacity(merges.pairs.count)
    var mergedIDs: [Int32] = []
    mergedIDs.reserveCapacity(merges.pairs.count)
    for (left, right) in merges.pairs {
      let pair = (try merges.id(of: left, in: ids), try merges.id(of: right, in: ids))
      // Of two equal merges the later counts, as in the reference.
      ranks[Self.key(pair.0, pair.1)] = UInt32(mergedIDs.count)
      mergedIDs.append(try merges.id(of: left + right, in: ids))
    }
    self.ranks = ranks
    self.mergedIDs = mergedIDs
    try ids.check(areMadeBy: mergedIDs + byteIDs + endingByteIDs, of: merges)
  }

  private static func key(_ left: Int32, _ right: Int32) -> UInt64 {
    UInt64(UInt32(bitPattern: left)) << 32 | UInt64(UInt32(bitPattern: right))
  }
}
