internal import EmbeddingFiles

/// Rows and their scores, of which only the best that are asked for are put in order: a heap.
struct RowsByScore {
  typealias OutsideScore = (score: Double, row: Int)

  private var heap: [OutsideScore]

  init(_ rows: [OutsideScore]) {
    heap = rows
    for place in (0..<heap.count / 2).reversed() { sink(from: place) }
  }

  /// Takes out all rows of the best score there is, by key and part; none when none is left.
  mutating func popBest(of contents: Contents) throws(StorageError) -> [OutsideScore] {
    var best: [OutsideScore] = []
    while let first = heap.first, best.first.map({ $0.score == first.score }) ?? true {
      best.append(first)
      heap[0] = heap[heap.count - 1]
      heap.removeLast()
      sink(from: 0)
    }
    guard best.count > 1 else { return best }
    let failure = SearchFailure()
    best.sort { first, second in
      failure.catching(false) { () throws(StorageError) in
        try contents.precedes(first.row, second.row)
      }
    }
    try failure.check()
    return best
  }

  /// Moves a row down until none below it scores higher.
  private mutating func sink(from start: Int) {
    var place = start
    while true {
      var best = place
      for child in 2 * place + 1..<2 * place + 3
      where child < heap.count && heap[child].score > heap[best].score {
        best = child
      }
      guard best != place else { return }
      heap.swapAt(place, best)
      place = best
    }
  }
}
