internal import EmbeddingFiles

extension EmbeddingStore {
  /// Puts records whose vectors were rows of a store's already, so that they are
  /// bit for bit the same rows here, and removes others; all in one commit.
  ///
  /// - Returns: The number of the newest change before, which tells whether others wrote since the caller
  ///   looked, and the commit.
  /// - Throws: `.invalidArgument` for a row that is not of the space's length, within what rounding
  ///   to Float16 does to it; otherwise as `put`. Nothing is stored then.
  @discardableResult
  package func apply(
    _ puts: [Record], removing removed: [(key: String, part: UInt16)]
  ) throws(StoreError) -> (before: UInt64, commit: Commit) {
    if space.normalization == .unitLength {
      for put in puts {
        let length = put.components.reduce(into: 0.0) { $0 += Double($1) * Double($1) }
          .squareRoot()
        guard abs(length - 1) <= 0.002 else {
          throw StoreError(
            .invalidArgument,
            "The row of \"\(put.key)\" has the length \(length), and those of the space "
              + "have 1.", key: put.key)
        }
      }
    }
    var before: UInt64 = 0
    let commit = try write(puts, keepingRows: true) {
      (contents, changes) throws(StorageError) in
      before = contents.lastSequence
      var all = changes
      for (key, part) in removed where try contents.liveRow(withKey: key, part: part) != nil {
        all.append(.remove(key: key, part: part))
      }
      return all
    }
    return (before, commit)
  }
}
