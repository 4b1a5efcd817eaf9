import Testing

@testable import EmbeddingFiles

/// Journals beyond 2 and 4 GiB, which are holes up to the commits in question.
@Suite struct SparseJournalTests {
  let directory: TemporaryDirectory
  let header = TestJournal.sample().header

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Two commits on either side of an edge, read on from the first.
  @Test(arguments: [1 << 31, 1 << 32, 1 << 40] as [UInt64])
  func commitsBeyondTheEdgesOf32BitsAreRead(edge: UInt64) throws {
    let file = try POSIXFileSystem().open("\(directory.path)/journal", .create)
    var start = JournalPosition(after: header)
    start.offset = edge - 64
    var encoder = JournalEncoder(
      at: start, seed: header.checksumSeed, reusing: ByteWriter())
    for key in ["before", "behind"] {
      encoder.append(.remove(key: key, part: nil), row: RawSpan())
      encoder.appendCommit()
    }
    try encoder.writer.withRawSpan { (span) throws(StorageError) in
      try file.write(span, at: start.offset)
    }
    var keys: [String] = []
    let outcome = try replay(knownSyncedThrough: encoder.position.offset).run(
      file, from: start, to: encoder.position.offset, pieceByteCount: 8
    ) { (entries, _) throws(StorageError) in
      for entry in entries {
        if case .remove(let key, _) = entry.change { keys.append(key) }
      }
    }
    #expect(keys == ["before", "behind"])
    #expect(outcome.position.offset == encoder.position.offset)
    #expect(outcome.position.offset > edge)
    #expect(outcome.tornTailByteCount == 0)
  }

  /// Once, all that lay behind the last commit was read into memory: a hole of a terabyte ended the
  /// process, and one of a few gigabytes took as much.
  @Test(arguments: [false, true])
  func aHoleIsATornTailUnlessACommitBehindItSaysMore(hasCommit: Bool) throws {
    let whole = TestJournal.sample()
    let file = try POSIXFileSystem().open("\(directory.path)/journal", .create)
    try whole.file.bytes.withRawSpan { try file.write($0, at: 0) }
    let hole = UInt64(20 << 20)
    var position = whole.position
    position.offset += hole
    // One that was on the medium when the commit was written, which is in the hole.
    position.syncedThrough = position.offset
    var encoder = JournalEncoder(at: position, seed: header.checksumSeed, reusing: ByteWriter())
    encoder.appendCommit()
    if hasCommit {
      try encoder.writer.withRawSpan { try file.write($0, at: position.offset) }
    } else {
      try file.truncate(to: position.offset)
    }
    var commitCount = 0
    do throws(StorageError) {
      let outcome = try replay(knownSyncedThrough: 128).run(
        file, from: JournalPosition(after: header), to: file.attributes().byteCount
      ) { (_, _) throws(StorageError) in commitCount += 1 }
      #expect(!hasCommit)
      #expect(outcome.position == whole.position)
      #expect(outcome.tornTailByteCount == hole)
    } catch {
      #expect(hasCommit && error.code == .journalCorrupt, "\(error)")
    }
    #expect(commitCount == whole.commits.count)
  }

  private func replay(knownSyncedThrough: UInt64) -> JournalReplay {
    JournalReplay(
      path: "journal", seed: header.checksumSeed, dimension: TestJournal.dimension,
      knownSyncedThrough: knownSyncedThrough, salvagesPrefix: false)
  }
}
