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

  /// The live row with a change number, or nil. Costs a binary search.
  func row(numbered number: UInt64, in contents: Contents) throws(StorageError) -> Int? {
    let mainCount = contents.mainRowCount
    let found: Int?
    if number <= contents.main.header.lastSequence {
      found = try Self.position(of: number, in: 0..<mainCount) { (position) throws(StorageError) in
        try contents.changeNumber(of: order.map { Int($0[position]) } ?? position)
      }.map { position in order.map { Int($0[position]) } ?? position }
    } else {
      // The rows of a journal are in the order of its changes.
      found = try Self.position(of: number, in: mainCount..<contents.rowCount) {
        (position) throws(StorageError) in try contents.changeNumber(of: position)
      }
    }
    guard let found, contents.isLive(found) else { return nil }
    return found
  }

  private static func position(
    of number: UInt64, in range: Range<Int>,
    _ numberAt: (Int) throws(StorageError) -> UInt64
  ) throws(StorageError) -> Int? {
    var range = range
    while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
      let found = try numberAt(middle)
      if found == number { return middle }
      range = found < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }
}
