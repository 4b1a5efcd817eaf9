extension MainFile {
  /// Everything that is wrong with the file: blocks that do not match their checksums, or, when
  /// all do, the first reference that leads nowhere.
  func problems() -> [StorageError] {
    var problems: [StorageError] = []
    for block in 0..<bytes.blockCount {
      do throws(StorageError) {
        try bytes.verifyAgain(block: block)
      } catch {
        problems.append(error)
      }
    }
    guard problems.isEmpty else { return problems }
    do throws(StorageError) {
      for row in 0..<rowCount {
        try checkReferences(of: row)
      }
    } catch {
      problems.append(error)
    }
    return problems
  }

  private func checkReferences(of row: Int) throws(StorageError) {
    let details = try details(of: row)
    guard FormatLimits.keyByteCount.contains(details.key.utf8.count) else {
      throw damage("row \(row) has a key that is empty or too long")
    }
    let rowsOfKey = try rows(withKey: details.key, hash: KeyHash.hash(details.key))
    guard rowsOfKey.count(where: { $0 == row }) == 1 else {
      throw damage("its key index does not lead to row \(row), or leads there twice")
    }
    for other in rowsOfKey where other < row {
      guard try part(of: other) != details.part else {
        throw damage("rows \(other) and \(row) have the same key and part")
      }
    }
    guard details.part == 0 || header.hasParts else {
      throw damage("row \(row) has a part, and its header says that none has")
    }
    let changeNumber = try changeNumber(of: row)
    guard changeNumber >= FormatLimits.sequence.lowerBound, changeNumber <= header.lastSequence
    else { throw damage("row \(row) has a change number that no change of the file has") }
    let space = header.space
    let isFinite = try withRows(row..<row + 1) { (span) throws(StorageError) in
      (0..<space.dimension).allSatisfy { component in
        (span.integer(at: 2 * component, as: UInt16.self) ?? 0) & 0x7c00 != 0x7c00
      }
    }
    guard isFinite else { throw damage("row \(row) has a component that is not finite") }
  }
}
