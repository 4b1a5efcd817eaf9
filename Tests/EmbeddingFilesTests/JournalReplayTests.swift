import Testing

@testable import EmbeddingFiles

@Suite struct JournalReplayTests {
  @Test func everyShorterLengthKeepsTheWholeCommits() throws {
    let whole = TestJournal.sample()
    for count in JournalHeader.byteCount...whole.file.count {
      var journal = whole
      journal.file.bytes.removeLast(whole.file.count - count)
      let kept = whole.commitCount(endingBy: count)
      let (outcome, changes) = try journal.replay()
      let end = kept == 0 ? JournalHeader.byteCount : whole.commits[kept - 1].end
      #expect(outcome.commitCount == kept, "\(count) bytes")
      #expect(outcome.position.offset == UInt64(end))
      #expect(outcome.tornTailByteCount == UInt64(count - end))
      #expect(changes == whole.changes(inCommits: kept))
    }
  }

  @Test func everyShorterLengthThatWasSyncedIsDamage() {
    let whole = TestJournal.sample()
    for count in JournalHeader.byteCount..<whole.file.count {
      var journal = whole
      journal.file.bytes.removeLast(whole.file.count - count)
      for commit in whole.commits {
        let code = journal.code(knownSyncedThrough: UInt64(commit.end))
        #expect(code == (count < commit.end ? .journalCorrupt : nil), "\(count) \(commit.end)")
      }
    }
  }

  @Test(arguments: [0x00, 0xa5] as [UInt8])
  func aSizeThatGrewBeforeItsBytesIsATornTail(filler: UInt8) throws {
    let whole = TestJournal.sample()
    for count in JournalHeader.byteCount..<whole.file.count {
      var journal = whole
      for index in count..<whole.file.count { journal.file.bytes[index] = filler }
      guard journal.file.bytes != whole.file.bytes else { continue }
      let kept = whole.commitCount(endingBy: count)
      let (outcome, changes) = try journal.replay()
      // The byte that is missing may be the filler, so that nothing is.
      #expect(outcome.commitCount >= kept)
      #expect(changes == whole.changes(inCommits: outcome.commitCount))
    }
  }

  @Test func everyFlippedBitInAnUnsyncedJournalKeepsTheCommitsBefore() throws {
    let whole = TestJournal.sample()
    for offset in JournalHeader.byteCount..<whole.file.count {
      var journal = whole
      journal.file.flip(bit: offset % 8, at: offset)
      let kept = whole.commitCount(endingBy: offset)
      let (outcome, changes) = try journal.replay()
      #expect(outcome.commitCount == kept, "byte \(offset)")
      #expect(outcome.tornTailByteCount > 0)
      #expect(changes == whole.changes(inCommits: kept))
    }
  }

  @Test func everyFlippedBitBeforeSyncedThroughIsDamageAndSalvageKeepsThePrefix() throws {
    let whole = TestJournal.sample()
    let synced = whole.commits[1].end
    for offset in JournalHeader.byteCount..<whole.file.count {
      var journal = whole
      journal.file.flip(bit: offset % 8, at: offset)
      let code = journal.code(knownSyncedThrough: UInt64(synced))
      #expect(code == (offset < synced ? .journalCorrupt : nil), "byte \(offset)")

      let (outcome, changes) = try journal.replay(
        knownSyncedThrough: UInt64(synced), salvaging: true)
      let kept = whole.commitCount(endingBy: offset)
      #expect(outcome.commitCount == kept, "byte \(offset)")
      #expect(changes == whole.changes(inCommits: kept))
    }
  }

  /// The manifest knows of nothing, but a later commit does.
  @Test func aLaterCommitVouchesForTheBytesBeforeIt() {
    var whole = TestJournal()
    whole.append([.put(RecordDetails(key: "a"))])
    whole.position.syncedThrough = whole.position.offset
    whole.append([.put(RecordDetails(key: "b"))])
    whole.append([.put(RecordDetails(key: "c"))])
    for offset in JournalHeader.byteCount..<whole.commits[0].end {
      var journal = whole
      journal.file.flip(bit: 3, at: offset)
      #expect(journal.code() == .journalCorrupt, "byte \(offset)")
      // Also when only the last commit is left to say so.
      journal.file.flip(bit: 3, at: whole.commits[1].end - 1)
      #expect(journal.code() == .journalCorrupt, "byte \(offset)")
    }
    // The bytes of the second commit are vouched for by nobody.
    for offset in whole.commits[0].end..<whole.commits[1].end {
      var journal = whole
      journal.file.flip(bit: 3, at: offset)
      #expect(journal.code() == nil, "byte \(offset)")
    }
  }

  @Test func aCommitWhoseFellowsVanishedIsNotApplied() throws {
    // The blocks of the first commit were not written, those of the second were.
    let whole = TestJournal.sample()
    for commit in [0, 1] {
      var journal = whole
      let start = commit == 0 ? JournalHeader.byteCount : whole.commits[commit - 1].end
      for index in start..<whole.commits[commit].end { journal.file.bytes[index] = 0 }
      #expect(try journal.replay().outcome.commitCount == commit)
    }
  }

  @Test func entriesAreValidInTheirOrderOnly() throws {
    var whole = TestJournal()
    whole.append([.put(RecordDetails(key: "a")), .put(RecordDetails(key: "b"))])
    let (first, second, end) = (
      whole.entryOffsets[0], whole.entryOffsets[1], whole.entryOffsets[2]
    )
    let (a, b) = (Array(whole.file.bytes[first..<second]), Array(whole.file.bytes[second..<end]))
    #expect(a.count == b.count)
    // Sealed at their new places, so that only the chain and the sequence numbers tell.
    for swapped in [a + a, b + b, b + a] {
      var journal = whole
      journal.file.bytes.replaceSubrange(first..<end, with: swapped)
      let chained = journal.file.bytes
      journal.seal(from: 0)
      #expect(try journal.replay().outcome.commitCount == 0)
      journal.file.bytes = chained
      #expect(try journal.replay().outcome.commitCount == 0)
    }
  }

  /// Both entries are valid where they are, but the second one follows another first one.
  @Test func anEntryThatFollowsAnotherOneIsNotApplied() throws {
    var journal = TestJournal()
    journal.append([.put(RecordDetails(key: "a")), .put(RecordDetails(key: "b"))])
    var other = TestJournal()
    other.append([.put(RecordDetails(key: "x")), .put(RecordDetails(key: "b"))])
    let second = journal.entryOffsets[1]
    #expect(other.entryOffsets[1] == second)
    journal.file.bytes.replaceSubrange(..<second, with: other.file.bytes[..<second])
    #expect(try journal.replay().outcome.commitCount == 0)
  }

  @Test(arguments: [0, 1, 3, UInt32.max])
  func aCommitThatMiscountsIsDamage(count: UInt32) throws {
    var journal = TestJournal.sample()
    let commit = journal.entryOffsets[2]
    journal.file.set(count, at: commit + 24)
    journal.seal(from: commit)
    #expect(journal.code() == .journalCorrupt)
    #expect(try journal.replay(salvaging: true).outcome.commitCount == 0)
  }

  @Test func aCommitOfAnotherLayoutIsDamage() throws {
    var journal = TestJournal.sample()
    let commit = journal.entryOffsets[2]
    journal.file.set(UInt32(1), at: commit + 28)
    journal.seal(from: commit)
    #expect(journal.code() == .journalCorrupt)
  }

  @Test func anEmptyCommitIsACommit() throws {
    var journal = TestJournal()
    journal.append([])
    journal.append([.removeAll])
    #expect(try journal.replay().outcome.commitCount == 2)
  }

  @Test func rowsOfAnotherDimensionAreDamage() throws {
    let journal = TestJournal.sample()
    for dimension in [1, 2, 4, 4_096] {
      let replay = JournalReplay(
        path: "", seed: journal.header.checksumSeed, dimension: dimension, knownSyncedThrough: 0,
        salvagesPrefix: false)
      let code = Array(journal.file.bytes[128...]).withRawSpan { span in
        errorCode { () throws(StorageError) in
          _ = try replay.run(span, from: JournalPosition(after: journal.header)) {
            (_, _) throws(StorageError) in
          }
        }
      }
      #expect(code == .journalCorrupt)
    }
  }

  @Test func goesOnFromAnyCommit() throws {
    let whole = TestJournal.sample()
    var position = JournalPosition(after: whole.header)
    let replay = JournalReplay(
      path: "", seed: whole.header.checksumSeed, dimension: TestJournal.dimension,
      knownSyncedThrough: 0, salvagesPrefix: false)
    for (index, commit) in whole.commits.enumerated() {
      let next = Array(whole.file.bytes[Int(position.offset)..<commit.end])
      let outcome = try next.withRawSpan { (span) throws(StorageError) in
        try replay.run(span, from: position) { (_, _) throws(StorageError) in }
      }
      #expect(outcome.commitCount == 1, "commit \(index)")
      position = outcome.position
    }
    #expect(position == whole.position)
  }

  @Test func anErrorOfTheOneWhoAppliesEndsTheReplay() {
    let journal = TestJournal.sample()
    let replay = JournalReplay(
      path: "", seed: journal.header.checksumSeed, dimension: TestJournal.dimension,
      knownSyncedThrough: 0, salvagesPrefix: true)
    let code = Array(journal.file.bytes[128...]).withRawSpan { span in
      errorCode { () throws(StorageError) in
        _ = try replay.run(span, from: JournalPosition(after: journal.header)) {
          (_, _) throws(StorageError) in throw StorageError(.cancelled, "")
        }
      }
    }
    #expect(code == .cancelled)
  }
}
