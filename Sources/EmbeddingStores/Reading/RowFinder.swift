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
  /// Looks from `place` on, where the one before was found, and moves it; 0 begins. Costs a few reads
  /// for numbers that ascend, a binary search for others.
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

  /// Where a number can be. Numbers ascend, so it is at most as many places behind `place` as it is
  /// larger than the number there, and in that last place unless rows between are gone: strides that
  /// double lead back from there.
  private func places(
    around number: UInt64, in contents: Contents, from place: Int
  ) throws(StorageError) -> Range<Int> {
    guard place < contents.rowCount else { return 0..<contents.rowCount }
    let first = try contents.changeNumber(of: row(at: place, in: contents))
    guard number >= first else { return 0..<place }
    let most = UInt64(contents.rowCount - 1 - place)
    var start = place + Int(clamping: min(most, number - first))
    var (end, stride) = (start + 1, 1)
    while start > place, try contents.changeNumber(of: row(at: start, in: contents)) > number {
      end = start
      start = max(place, start - stride)
      stride *= 2
    }
    return start..<end
  }
}
