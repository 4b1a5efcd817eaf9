import Testing

@testable import EmbeddingFiles

/// A journal in memory, with the places where its commits end.
struct TestJournal {
  static let dimension = 3

  var header = JournalHeader(
    identifier: StoreIdentifier(high: 1, low: 2), generation: 3, mainGeneration: 2,
    mainHeaderChecksum: 4, dimension: dimension, salt: 0x1234_5678_9abc_def0, firstSequence: 100)
  /// Header and entries.
  var file: TestBytes
  var position: JournalPosition
  /// The offset of every entry, commits included.
  var entryOffsets: [Int] = []
  /// What every commit holds, and the offset at which it ends.
  var commits: [(changes: [Change], end: Int)] = []

  init() {
    file = TestBytes(header.encoded())
    position = JournalPosition(after: header)
  }

  /// Three commits of different kinds, none of which knows of a sync.
  static func sample() -> TestJournal {
    var journal = TestJournal()
    journal.append([
      .put(RecordDetails(key: "a", labels: ["x", "yy"], metadata: [1, 2, 3], text: "t")),
      .put(RecordDetails(key: "b", part: 7, timestamp: 5)),
    ])
    journal.append([
      .update(DetailsUpdate(key: "a", labels: [], metadata: .some(nil))),
      .remove(key: "b", part: 7), .remove(key: "c", part: nil),
    ])
    journal.append([.removeAll, .put(RecordDetails(key: "é", metadata: [], text: ""))])
    return journal
  }

  /// Appends a commit, as the store does.
  mutating func append(_ changes: [Change]) {
    var encoder = JournalEncoder(at: position, seed: header.checksumSeed, reusing: ByteWriter())
    for change in changes {
      entryOffsets.append(file.count + encoder.writer.count)
      [UInt8](0..<6).withRawSpan { encoder.append(change, row: $0) }
    }
    entryOffsets.append(file.count + encoder.writer.count)
    encoder.appendCommit()
    file.bytes += encoder.writer.bytes
    position = encoder.position
    commits.append((changes, file.count))
  }

  /// Writes the checksum of the entry at `offset` anew, after a change to it, and of those behind
  /// it, which name it.
  mutating func seal(from offset: Int) {
    for entry in entryOffsets where entry >= offset {
      if entry > offset, let before = entryOffsets.last(where: { $0 < entry }) {
        file.set(file.value(at: before + 20, as: UInt32.self), at: entry + 16)
      }
      let next = entryOffsets.first { $0 > entry } ?? file.count
      let checksum = file.bytes.withRawSpan {
        JournalEntryHeader.checksum(
          $0, at: entry, payloadByteCount: next - entry - 24, fileOffset: UInt64(entry),
          seed: header.checksumSeed)
      }
      file.set(checksum, at: entry + 20)
    }
  }

  /// What a replay finds: the outcome, and the changes as text, since they can not be compared.
  ///
  /// Read in pieces of any size, the file must say the same.
  func replay(
    knownSyncedThrough: UInt64 = 128, salvaging: Bool = false
  ) throws(StorageError) -> (outcome: JournalReplay.Outcome, changes: [String]) {
    let replay = JournalReplay(
      path: "journal", seed: header.checksumSeed, dimension: Self.dimension,
      knownSyncedThrough: knownSyncedThrough, salvagesPrefix: salvaging)
    let position = JournalPosition(after: header)
    let entries = Array(file.bytes.dropFirst(JournalHeader.byteCount))
    let whole = Self.outcome { (apply) throws(StorageError) in
      try entries.withRawSpan { (span) throws(StorageError) in
        try replay.run(span, from: position, apply: apply)
      }
    }
    let memory = MemoryFileSystem()
    let copy = try memory.open("/journal", .create)
    try file.bytes.withRawSpan { (span) throws(StorageError) in try copy.write(span, at: 0) }
    for pieceByteCount in [8, 100, 264, 1 << 20] {
      let pieces = Self.outcome { (apply) throws(StorageError) in
        try replay.run(
          copy, from: position, to: UInt64(file.bytes.count), pieceByteCount: pieceByteCount,
          apply: apply)
      }
      #expect(pieces.changes == whole.changes, "pieces of \(pieceByteCount)")
      #expect(pieces.outcome == whole.outcome, "pieces of \(pieceByteCount)")
      #expect(pieces.error?.message == whole.error?.message, "pieces of \(pieceByteCount)")
    }
    if let error = whole.error { throw error }
    return (whole.outcome ?? JournalReplay.Outcome(position: position), whole.changes)
  }

  private static func outcome(
    _ run: (([JournalReplay.Entry], RawSpan) throws(StorageError) -> Void) throws(StorageError)
      -> JournalReplay.Outcome
  ) -> (outcome: JournalReplay.Outcome?, changes: [String], error: StorageError?) {
    var changes: [String] = []
    do throws(StorageError) {
      let outcome = try run { (entries, bytes) throws(StorageError) in
        for entry in entries {
          let row = bytes.array(at: entry.row.lowerBound, count: entry.row.count) ?? []
          changes.append("\(entry.sequence) \(row) \(entry.change)")
        }
      }
      return (outcome, changes, nil)
    } catch {
      return (nil, changes, error)
    }
  }

  func code(knownSyncedThrough: UInt64 = 128, salvaging: Bool = false) -> StorageError.Code? {
    errorCode { () throws(StorageError) in
      _ = try replay(knownSyncedThrough: knownSyncedThrough, salvaging: salvaging)
    }
  }

  /// The changes of the first commits, as `replay` tells them.
  func changes(inCommits count: Int) -> [String] {
    var sequence = header.firstSequence
    var texts: [String] = []
    for commit in commits.prefix(count) {
      for change in commit.changes {
        var row: [UInt8] = []
        if case .put = change { row = [0, 1, 2, 3, 4, 5] }
        texts.append("\(sequence) \(row) \(change)")
        sequence += 1
      }
      sequence += 1
    }
    return texts
  }

  /// How many commits end at or before `offset`.
  func commitCount(endingBy offset: Int) -> Int {
    commits.prefix { $0.end <= offset }.count
  }
}

/// A small store in memory whose journal can be changed behind its back.
struct TestStore {
  static let path = "/store"
  let fileSystem = MemoryFileSystem()

  func open(salvaging: Bool = false) throws(StorageError) -> StoreFiles {
    var options = StoreFilesOptions(space: TestMainFile.space) { _ in 1 }
    options.salvagesJournal = salvaging
    return try StoreFiles(fileSystem, path: Self.path, options: options)
  }

  /// A store with three commits, closed, and the offsets at which its commits end.
  init() throws {
    let store = try open()
    for key in ["a", "b", "c"] { try put(key, in: store) }
    try store.close()
  }

  func put(_ key: String, in store: StoreFiles) throws(StorageError) {
    _ = try TestMainFile.row(1).withRawSpan { (span) throws(StorageError) in
      try store.commit(rows: span, rowStride: 6, level: nil) { _ in
        [.put(RecordDetails(key: key, text: "text of \(key)"))]
      }
    }
  }

  func keys(_ store: StoreFiles) throws -> [String] {
    let contents = try store.contents()
    return try (0..<contents.rowCount).filter(contents.isLive).map { try contents.key(of: $0) }
  }

  func bytes(_ name: String) throws -> [UInt8] {
    let file = try fileSystem.open("\(Self.path)/\(name)", .read)
    return try file.read(at: 0, byteCount: Int(file.attributes().byteCount))
  }

  func write(_ bytes: [UInt8], to name: String, at offset: Int = 0) throws {
    let file = try fileSystem.open("\(Self.path)/\(name)", .readWrite)
    try bytes.withRawSpan { try file.write($0, at: UInt64(offset)) }
  }

  func truncate(_ name: String, to byteCount: Int) throws {
    try fileSystem.open("\(Self.path)/\(name)", .readWrite).truncate(to: UInt64(byteCount))
  }
}
