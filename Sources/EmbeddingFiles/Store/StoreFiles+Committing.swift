import Synchronization

/// Appending commits to the journal.
extension StoreFiles {
  /// Appends one commit and publishes the contents after it.
  ///
  /// `changes` is called with the current contents, under the lock; when it throws, or returns
  /// nothing, nothing is written. Its puts take their rows from `rows` in order, `rowStride` bytes
  /// apart. Returns when the commit has reached `level` (nil: the system has the bytes). After an
  /// error nothing of it is in the contents; after a failed sync, which is also remembered, it may
  /// turn up when the store is opened again.
  package func commit(
    rows: RawSpan, rowStride: Int, level: SyncLevel?,
    _ changes: (Contents) throws(StorageError) -> [Change]
  ) throws(StorageError) -> CommitSummary {
    try checkProcess()
    try checkWritable()
    return try writer.withLock { (writer) throws(StorageError) -> CommitSummary in
      try withWriterLock(&writer) { (writer) throws(StorageError) -> CommitSummary in
        try prepareForAppending(&writer)
        let changes = try changes(writer.generation.contents)
        guard !changes.isEmpty else {
          return CommitSummary(changeNumber: writer.generation.contents.lastSequence)
        }
        return try append(changes, rows: rows, rowStride: rowStride, level: level, &writer)
      }
    }
  }

  private func append(
    _ changes: [Change], rows: RawSpan, rowStride: Int, level: SyncLevel?,
    _ writer: inout Writer
  ) throws(StorageError) -> CommitSummary {
    let generation = writer.generation
    let rowByteCount = 2 * generation.contents.space.dimension
    var editor = ContentsEditor(generation.contents)
    do throws(StorageError) {
      var encoder = JournalEncoder(
        at: generation.position, seed: generation.journalHeader.checksumSeed,
        reusing: writer.buffer.bytes)
      var nextRow = 0
      for change in changes {
        var range = 0..<0
        if case .put = change {
          range = nextRow..<nextRow + rowByteCount
          nextRow += rowStride
        }
        let row = rows.extracting(range)
        try editor.apply(change, sequence: encoder.position.nextSequence, row: row)
        encoder.append(change, row: row)
      }
      encoder.appendCommit()
      guard editor.current.rowCount <= FormatLimits.rowCount else {
        throw StorageError(
          .limitExceeded, path: directory.path,
          "A store holds at most \(FormatLimits.rowCount) rows, dead ones included. Compact it.")
      }
      let isRemoval = changes.allSatisfy { change in
        switch change {
        case .remove, .removeAll: true
        case .put, .update: false
        }
      }
      try write(encoder.writer, mayUseBallast: isRemoval, &writer)
      var position = encoder.position
      if let level {
        try latchingFailure(&writer) { (journal) throws(StorageError) in
          try journal.sync(level)
        }
        if level == .full { position.syncedThrough = position.offset }
      }
      if encoder.writer.count > 4 << 20 { writer.buffer = CommitBuffer() }
      writer.generation.position = position
      writer.generation.contents = editor.current
      publish(writer.generation)
      return CommitSummary(
        changeNumber: editor.current.lastSequence, putCount: editor.putCount,
        removedCount: editor.removedCount)
    } catch {
      editor.rollBack()
      throw error
    }
  }

  /// Writes behind the last commit; on failure cuts back to it, and latches when that fails too.
  private func write(
    _ bytes: ByteWriter, mayUseBallast: Bool, _ writer: inout Writer
  ) throws(StorageError) {
    guard let journal = writer.appendable else { throw closed }
    let offset = writer.generation.position.offset
    do throws(StorageError) {
      try bytes.withRawSpan { (span) throws(StorageError) in
        try journal.write(span, at: offset)
      }
    } catch {
      try cutBack(journal, to: offset, after: error, &writer)
      if error.code == .noSpace, mayUseBallast, lock.releaseBallast() {
        return try write(bytes, mayUseBallast: false, &writer)
      }
      throw error
    }
  }

  /// Takes away what a failed write left, also on the medium: a power failure must not bring back
  /// what was reported as failed. Throws the write's error when that fails.
  private func cutBack(
    _ journal: any File, to offset: UInt64, after failure: StorageError, _ writer: inout Writer
  ) throws(StorageError) {
    do throws(StorageError) {
      try journal.truncate(to: offset)
    } catch {
      writer.latched = error
      throw failure
    }
    do throws(StorageError) {
      try latchingFailure(&writer) { (journal) throws(StorageError) in try journal.sync(.full) }
    } catch {
      throw failure
    }
    writer.generation.position.syncedThrough = offset
  }
}

/// Storage for the bytes of a commit, kept for the next one unless it is very large.
struct CommitBuffer: @unchecked Sendable {  // Used only under the lock of `StoreFiles.writer`.
  let bytes = ByteWriter()
}
