import Testing

@testable import EmbeddingFiles

@Suite struct JournalRotationTests {
  /// Once, entries were copied into the new journal as they were found on the medium, with fresh
  /// checksums: a bit that had flipped since the store was opened was sealed for ever, and a
  /// commit that no longer began like one was dropped with all behind it.
  @Test func damageSinceOpeningIsNeverCopied() throws {
    let test = try TestStore()
    let whole = try test.bytes("journal-1")
    try test.write([1, 2, 3], to: "journal-1", at: whole.count)
    let manifest = try test.bytes("MANIFEST")
    for offset in JournalHeader.byteCount..<whole.count {
      let store = try test.open()
      #expect(store.openSummary.tornTailByteCount == 3)
      try test.write([whole[offset] ^ 1], to: "journal-1", at: offset)
      let code = errorCode { () throws(StorageError) in try test.put("d", in: store) }
      #expect(code == .journalCorrupt, "byte \(offset)")
      #expect(try test.bytes("MANIFEST") == manifest)
      try test.write([whole[offset]], to: "journal-1", at: offset)
    }
    let store = try test.open()
    try test.put("d", in: store)
    #expect(try test.keys(store) == ["a", "b", "c", "d"])
    #expect(try store.verify().problems.isEmpty)
  }

  /// Once, a journal that was cut short between two commits was appended to after a salvage, while
  /// the manifest still knew of more bytes; the next strict opening refused the store.
  @Test func whatIsWrittenAfterASalvageIsThereAtTheNextStrictOpening() throws {
    let whole = try TestStore().bytes("journal-1")
    for count in stride(from: 0, to: whole.count, by: 4) {
      let test = try TestStore()
      try test.truncate("journal-1", to: count)
      #expect(errorCode { () throws(StorageError) in _ = try test.open() } == .journalCorrupt)
      let salvaged = try test.open(salvaging: true)
      let kept = try test.keys(salvaged)
      #expect(kept == Array(["a", "b", "c"].prefix(kept.count)))
      try test.put("d", in: salvaged)
      try salvaged.close()
      let store = try test.open()
      #expect(try test.keys(store) == kept + ["d"], "\(count) bytes")
      #expect(store.openSummary.tornTailByteCount == 0)
      #expect(try store.verify().problems.isEmpty)
    }
  }

  @Test func aSalvageGetsRidOfADamagedHeader() throws {
    for offset in 0..<JournalHeader.byteCount where !(8..<12).contains(offset) {
      let test = try TestStore()
      let byte = try test.bytes("journal-1")[offset]
      try test.write([byte ^ 0x10], to: "journal-1", at: offset)
      #expect(errorCode { () throws(StorageError) in _ = try test.open() } == .journalCorrupt)
      let salvaged = try test.open(salvaging: true)
      try test.put("d", in: salvaged)
      try salvaged.close()
      #expect(try test.keys(test.open()).last == "d")
    }
  }

  @Test func aSalvageThatWritesNothingChangesNothing() throws {
    let test = try TestStore()
    try test.truncate("journal-1", to: 200)
    let before = try test.bytes("MANIFEST")
    _ = try test.open(salvaging: true)
    #expect(try test.bytes("MANIFEST") == before)
    #expect(try test.bytes("journal-1").count == 200)
  }

  @Test func anUpdateOfARecordThatIsNotThereIsDamage() throws {
    let test = try TestStore()
    try append(.update(DetailsUpdate(key: "z", text: .some("t"))), to: test)
    #expect(errorCode { () throws(StorageError) in _ = try test.open() } == .journalCorrupt)
  }

  @Test func anEntryOfAnUnknownTypeIsRefusedRatherThanDropped() throws {
    let test = try TestStore()
    try append(.removeAll, type: 6, to: test)
    #expect(errorCode { () throws(StorageError) in _ = try test.open() } == .unsupportedFormat)
  }

  /// Appends a commit of one entry with checksums that hold.
  private func append(_ change: Change, type: UInt8? = nil, to test: TestStore) throws {
    let bytes = try test.bytes("journal-1")
    let header = try bytes.withRawSpan { (span) throws(StorageError) in
      try JournalHeader(span, path: "")
    }
    let replay = JournalReplay(
      path: "", seed: header.checksumSeed, dimension: header.dimension, knownSyncedThrough: 0,
      salvagesPrefix: false)
    let end = try Array(bytes[JournalHeader.byteCount...]).withRawSpan {
      (span) throws(StorageError) in
      try replay.run(span, from: JournalPosition(after: header)) { (_, _) throws(StorageError) in }
    }.position
    var encoder = JournalEncoder(at: end, seed: header.checksumSeed, reusing: ByteWriter())
    encoder.append(change, row: RawSpan())
    if let type {
      let count = encoder.writer.count
      encoder.writer.overwrite(type, at: 2)
      let checksum = encoder.writer.withRawSpan {
        JournalEntryHeader.checksum(
          $0, at: 0, payloadByteCount: count - JournalEntryHeader.byteCount,
          fileOffset: end.offset, seed: header.checksumSeed)
      }
      encoder.writer.overwrite(checksum, at: 20)
    }
    encoder.appendCommit()
    try test.write(encoder.writer.bytes, to: "journal-1", at: bytes.count)
  }
}
