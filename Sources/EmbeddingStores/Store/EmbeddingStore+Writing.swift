internal import EmbeddingFiles
internal import EmbeddingKernels

/// Each method is one commit: all of it or nothing. It returns when the commit has the durability
/// that the configuration asks for. After an error nothing of it is stored. All of them throw
/// `.readOnly` on a store opened so, `.locked` when another process does not finish writing in
/// time, `.noSpace` and `.inputOutput` from the device, `.storeMoved` when the directory is gone,
/// and `.previousInputOutputError` once a failure left the file in doubt.
extension EmbeddingStore {
  /// Stores records, each in place of what was under its key and part.
  ///
  /// When a key and part occur twice, the later record stays. Costs one look-up and one row of
  /// journal and of memory per record.
  ///
  /// - Throws: `.invalidKey`, `.wrongDimension`, `.notFinite`, `.zeroVector`, `.outOfRange`,
  ///   `.limitExceeded` or `.invalidArgument` for the first record that can not be stored, with
  ///   its key.
  @discardableResult
  public func put(_ records: [Record]) throws(StoreError) -> Commit {
    try write(records) { (_, changes) throws(StorageError) in changes }
  }

  /// Stores one record; see `put(_:)`.
  @discardableResult
  public func put(_ record: Record) throws(StoreError) -> Commit {
    try put([record])
  }

  /// Stores records as all the parts that their keys have: other parts of these keys are removed.
  ///
  /// For an item that had more tiles or passages before than it has now. Costs and throws as `put`.
  @discardableResult
  public func replace(_ records: [Record]) throws(StoreError) -> Commit {
    try write(records) { (contents, changes) throws(StorageError) in
      changes + (try contents.removals(ofPartsNotIn: changes))
    }
  }

  /// Stores records under keys and parts that are new.
  ///
  /// - Throws: `.duplicateKey` when a key and part is stored already or occurs twice; otherwise
  ///   as `put`.
  @discardableResult
  public func insert(_ records: [Record]) throws(StoreError) -> Commit {
    try write(records) { (contents, changes) throws(StorageError) in
      var seen: [Key: Set<UInt16>] = [:]
      for case .put(let details) in changes {
        let isNew = seen[Key(details.key), default: []].insert(details.part).inserted
        guard isNew, try contents.liveRow(withKey: details.key, part: details.part) == nil else {
          throw StorageError(
            .duplicateKey,
            "The key \"\(details.key)\" with part \(details.part) is stored already, or occurs "
              + "twice. Use put to replace records.", key: details.key)
        }
      }
      return changes
    }
  }

  /// Changes timestamps, labels, metadata or text of stored records without their vectors.
  ///
  /// - Throws: `.notFound` when a key and part is not stored; `.limitExceeded`, `.invalidKey` or
  ///   `.invalidArgument` as `put`.
  @discardableResult
  public func update(_ updates: [RecordUpdate]) throws(StoreError) -> Commit {
    var changes: [Change] = []
    for update in updates {
      changes.append(.update(try DetailsUpdate(checking: update)))
    }
    return try commit { (_) throws(StorageError) in changes }
  }

  /// Removes all parts of keys; unknown keys are passed over.
  @discardableResult
  public func remove(_ keys: some Sequence<String>) throws(StoreError) -> Commit {
    let changes = keys.map { Change.remove(key: $0, part: nil) }
    return try commit { (contents) throws(StorageError) in
      var known: [Change] = []
      for change in changes {
        if case .remove(let key, _) = change, try !contents.liveRows(withKey: key).isEmpty {
          known.append(change)
        }
      }
      return known
    }
  }

  /// Removes one part of a key, if it is stored.
  @discardableResult
  public func remove(_ key: String, part: UInt16) throws(StoreError) -> Commit {
    try commit { (contents) throws(StorageError) in
      try contents.liveRow(withKey: key, part: part) == nil ? [] : [.remove(key: key, part: part)]
    }
  }

  /// Removes every record. Their bytes leave the disk with the next compaction.
  @discardableResult
  public func removeAll() throws(StoreError) -> Commit {
    try commit { (contents) throws(StorageError) in
      contents.liveRowCount == 0 ? [] : [.removeAll]
    }
  }

  /// Removes the records whose keys the source no longer has.
  ///
  /// A source that failed to load looks like one that lost everything, so nothing is removed when
  /// more than `share` of the stored keys would go.
  ///
  /// - Throws: `.tooManyRemovals` then; `.invalidArgument` when `share` is not within 0...1.
  @discardableResult
  public func reconcile(
    with keys: some Sequence<String>, removingAtMost share: Double = 0.2
  ) throws(StoreError) -> Commit {
    guard (0...1).contains(share) else {
      throw StoreError(.invalidArgument, "A share lies within 0...1; this one is \(share).")
    }
    let kept = Set(keys.lazy.map(Key.init))
    return try commit { (contents) throws(StorageError) in
      var stored: Set<Key> = []
      try contents.live.forEach(in: 0..<contents.rowCount) { (row) throws(StorageError) in
        stored.insert(Key(try contents.key(of: row)))
      }
      let gone = stored.subtracting(kept)
      guard Double(gone.count) <= share * Double(stored.count) else {
        throw StorageError.tooManyRemovals(gone.count, of: stored.count, share: share)
      }
      return gone.sorted().map { .remove(key: $0.string, part: nil) }
    }
  }

  /// - Parameter isKeepingRows: Whether the vectors are rows already, which no length is taken from.
  func write(
    _ records: [Record], keepingRows isKeepingRows: Bool = false,
    _ changes: (Contents, [Change]) throws(StorageError) -> [Change]
  ) throws(StoreError) -> Commit {
    let rows = RowBuffer(dimension: space.dimension, capacity: records.count)
    let isNormalizing = space.normalization == .unitLength && !isKeepingRows
    var puts: [Change] = []
    puts.reserveCapacity(records.count)
    for index in records.indices {
      puts.append(.put(try RecordDetails(checking: records[index])))
      let components = records[index].components
      do throws(VectorDefect) {
        try rows.append(components.span, normalizing: isNormalizing)
      } catch {
        throw StoreError(error, key: records[index].key)
      }
    }
    return try commit(rows) { (contents) throws(StorageError) in try changes(contents, puts) }
  }

  func commit(
    _ rows: RowBuffer? = nil, _ changes: (Contents) throws(StorageError) -> [Change]
  ) throws(StoreError) -> Commit {
    // Writing takes in what others committed, even when it fails then.
    defer { announceChanges() }
    let summary = try translatingErrors { () throws(StorageError) -> CommitSummary in
      guard let rows else {
        return try files.commit(
          rows: RawSpan(), rowStride: 0, level: configuration.durability.syncLevel, changes)
      }
      return try rows.withBytes { (bytes) throws(StorageError) in
        try files.commit(
          rows: bytes, rowStride: rows.stride, level: configuration.durability.syncLevel, changes)
      }
    }
    let commit = Commit(summary)
    changeFeed.announce(commit)
    compactIfNeeded()
    return commit
  }
}

extension Durability {
  var syncLevel: SyncLevel? {
    switch self {
    case .processKill: nil
    case .orderedPowerLoss: .barrier
    case .powerLoss: .full
    }
  }
}
