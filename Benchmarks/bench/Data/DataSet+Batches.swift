import EmbeddingStores

extension DataSet {
  /// The space of the rows.
  ///
  /// They are normalised already. Dividing the half floats by their length once more would move
  /// their last bits, and the exact answers would no longer apply.
  var space: EmbeddingSpace {
    EmbeddingSpace(model: name, dimension: dimension, normalization: .none)
  }

  /// The rows in runs of `count`, the last one shorter.
  func batches(of count: Int) -> [Range<Int>] {
    (0..<rowCount).batches(of: count)
  }

  /// A record with no more than a key, a vector and a timestamp.
  func plainRecord(of row: Int) -> Record {
    Record(key: keys[row], vector: vector(of: row), timestamp: timestamps[row])
  }
}

extension RandomAccessCollection where Index == Int {
  /// Its elements in runs of `count`, the last one shorter.
  func batches(of count: Int) -> [SubSequence] {
    stride(from: startIndex, to: endIndex, by: count).map { start in
      self[start..<Swift.min(start + count, endIndex)]
    }
  }
}
