/// Joins the bytes of a word to tokens: the pair of neighbours whose merge comes first in the
/// vocabulary is joined wherever it stands, left to right, until no pair has a merge.
///
/// The buffers stay for the next word. Neighbours are linked, and pairs wait in a heap by rank and
/// position, so that a long run without spaces costs O(*n* log *n*).
struct BytePairJoining {
  /// The tokens of the last word.
  private(set) var ids: [Int32] = []
  /// The byte of the word at which each token begins.
  private(set) var byteOffsets: [Int] = []

  private let vocabulary: Vocabulary
  private var nodes: [Node] = []
  private var waiting = MinimumHeap()
  private var positions: [Int] = []

  /// What begins at a byte of the word.
  private struct Node {
    var id: Int32
    /// The rank of the merge with the next node, `noRank` without one or once joined to the left.
    var rank: UInt32
    var previous: Int
    var next: Int
  }

  private static var noRank: UInt32 { .max }

  init(_ vocabulary: Vocabulary) {
    self.vocabulary = vocabulary
  }

  /// Replaces `ids` and `byteOffsets` by those of a word, which has a scalar at least.
  mutating func join(_ word: ArraySlice<TracedScalar>) {
    place(word)
    for position in nodes.indices.dropLast() {
      rankPair(at: position)
    }
    while let first = waiting.first {
      // All pairs of one rank first, then the pairs that they make, as the reference does.
      let rank = UInt32(truncatingIfNeeded: first >> Self.positionBits)
      positions.removeAll(keepingCapacity: true)
      while let pair = waiting.first, pair >> Self.positionBits == UInt64(rank) {
        positions.append(Int(pair & (1 << Self.positionBits - 1)))
        waiting.removeFirst()
      }
      for position in positions where nodes[position].rank == rank {
        joinPair(at: position)
      }
    }
    collect()
  }

  /// One node for each byte; the last is that of a byte at the end of a word.
  private mutating func place(_ word: ArraySlice<TracedScalar>) {
    nodes.removeAll(keepingCapacity: true)
    var last: UInt8 = 0
    for scalar in word {
      for byte in UTF8.encode(scalar.value) ?? UTF8.encodedReplacementCharacter {
        last = byte
        nodes.append(
          Node(
            id: vocabulary.byteIDs[Int(byte)], rank: Self.noRank, previous: nodes.count - 1,
            next: nodes.count + 1))
      }
    }
    if let end = nodes.indices.last {
      nodes[end].id = vocabulary.endingByteIDs[Int(last)]
    }
  }

  private mutating func rankPair(at position: Int) {
    let next = nodes[position].next
    guard next < nodes.count,
      let rank = vocabulary.rank(of: nodes[position].id, nodes[next].id)
    else {
      nodes[position].rank = Self.noRank
      return
    }
    nodes[position].rank = rank
    waiting.insert(UInt64(rank) << Self.positionBits | UInt64(position))
  }

  private mutating func joinPair(at position: Int) {
    let joined = nodes[position].next
    let next = nodes[joined].next
    nodes[position].id = vocabulary.mergedIDs[Int(nodes[position].rank)]
    nodes[position].next = next
    nodes[joined].rank = Self.noRank
    if next < nodes.count { nodes[next].previous = position }
    rankPair(at: position)
    if nodes[position].previous >= 0 { rankPair(at: nodes[position].previous) }
  }

  private mutating func collect() {
    ids.removeAll(keepingCapacity: true)
    byteOffsets.removeAll(keepingCapacity: true)
    var position = 0
    while position < nodes.count {
      ids.append(nodes[position].id)
      byteOffsets.append(position)
      position = nodes[position].next
    }
  }

  /// A waiting pair is its rank, of less than 24 bits, above its position.
  private static var positionBits: UInt64 { 40 }
}
