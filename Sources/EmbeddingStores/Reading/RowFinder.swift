internal import EmbeddingFiles

/// Finds the rows of snapshots by their change numbers.
///
/// Holds nothing of a store but, where the rows of a main file do not ascend by their numbers, the
/// order in which they do.
package struct RowFinder: Sendable {
  private let generation: UInt64
  private let identifier: StoreIdentifier
  /// The rows of the main file by their numbers; nil when they ascend as they are.
  private var order: [UInt32]?

  /// Reads the change number of every row in the snapshot's main file.
  package init(for snapshot: Snapshot) throws(StoreError) {
    let main = snapshot.contents.main
    generation = main.header.generation
    identifier = main.header.identifier
    order = try translatingErrors { () throws(StorageError) -> [UInt32]? in
      var numbers: [UInt64] = []
      numbers.reserveCapacity(main.rowCount)
      var isAscending = true
      for row in 0..<main.rowCount {
        let number = try main.changeNumber(of: row)
        if let last = numbers.last, last > number { isAscending = false }
        numbers.append(number)
      }
      if isAscending { return nil }
      return (0..<UInt32(main.rowCount)).sorted { numbers[Int($0)] < numbers[Int($1)] }
    }
  }

  /// Whether this finds the snapshot's rows: until the next compaction.
  package func fits(_ snapshot: Snapshot) -> Bool {
    generation == snapshot.contents.main.header.generation
      && identifier == snapshot.contents.main.header.identifier
  }

  /// The live row with a change number, or nil.
  ///
  /// Costs a binary search of what lies between it and `place`, where the one before was found; 0
  /// begins. Cheap for numbers that ascend.
  func row(
    numbered number: UInt64, in contents: Contents, from place: inout Int
  ) throws(StorageError) -> Int? {
    var range = try places(around: number, in: contents, from: place)
    while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
      let row = row(at: middle, in: contents)
      let found = try contents.changeNumber(of: row)
      if found == number {
        place = middle
        return contents.isLive(row) ? row : nil
      }
      range = found < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    place = range.lowerBound
    return nil
  }

  /// The rows in the order of their numbers: those of the main file, and behind them those of the
  /// journal, which are in the order of its changes.
  private func row(at place: Int, in contents: Contents) -> Int {
    guard let order, place < contents.mainRowCount else { return place }
    return Int(order[place])
  }

  /// Where a number can be: strides that double lead there.
  private func places(
    around number: UInt64, in contents: Contents, from place: Int
  ) throws(StorageError) -> Range<Int> {
    var range = 0..<contents.rowCount
    guard range.contains(place) else { return range }
    guard try contents.changeNumber(of: row(at: place, in: contents)) <= number else {
      return 0..<place
    }
    var (start, stride) = (place, 1)
    while stride < range.upperBound - start {
      let next = start + stride
      guard try contents.changeNumber(of: row(at: next, in: contents)) <= number else {
        range = start..<next
        break
      }
      (start, stride) = (next, 2 * stride)
    }
    return max(start, range.lowerBound)..<range.upperBound
  }
}
