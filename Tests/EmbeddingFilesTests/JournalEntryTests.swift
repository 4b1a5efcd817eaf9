import Testing

@testable import EmbeddingFiles

@Suite struct JournalEntryTests {
  /// Change after change of every kind, with every field at its edges.
  static func randomChange(_ generator: inout SeededGenerator) -> Change {
    func one<Value>(of values: [Value]) -> Value {
      values[Int.random(in: values.indices, using: &generator)]
    }
    let key = one(of: [
      "a", "é", "e\u{301}", "👩‍👩‍👧‍👦", String(repeating: "k", count: 65_535),
    ])
    let part: UInt16 = one(of: [0, 1, .max])
    let timestamp: Int64 = one(of: [0, -1, .max, .min])
    let allLabels = ["", "dog", "é", String(repeating: "l", count: 65_535)]
    let labels = Array(allLabels.prefix(one(of: [0, 1, 2, 3, 4])))
    let metadata: [UInt8]? = one(of: [nil, [], [0], [UInt8](repeating: 7, count: 100)])
    let text: String? = one(of: [nil, "", "word", "\u{0}🏳️‍🌈"])
    switch Int.random(in: 0..<8, using: &generator) {
    case 0...3:
      return .put(
        RecordDetails(
          key: key, part: part, timestamp: timestamp, labels: labels, metadata: metadata,
          text: text, revision: one(of: [0, 1, .max])))
    case 4, 5:
      var update = DetailsUpdate(key: key, part: part)
      if Bool.random(using: &generator) { update.timestamp = timestamp }
      if Bool.random(using: &generator) { update.labels = labels }
      if Bool.random(using: &generator) { update.metadata = .some(metadata) }
      if Bool.random(using: &generator) { update.text = .some(text) }
      return .update(update)
    case 6: return .remove(key: key, part: Bool.random(using: &generator) ? part : nil)
    default: return .removeAll
    }
  }

  @Test func readsBackWhatItWrites() throws {
    var generator = SeededGenerator(seed: 4)
    var journal = TestJournal()
    for _ in 0..<60 {
      journal.append(
        (0..<Int.random(in: 0...6, using: &generator)).map { _ in Self.randomChange(&generator) })
    }
    let (outcome, changes) = try journal.replay()
    #expect(changes == journal.changes(inCommits: 60))
    #expect(outcome.position == journal.position)
    #expect(outcome.commitCount == 60)
    #expect(outcome.tornTailByteCount == 0)
  }

  /// Every pattern of 16 bits at every place of a row of four components and three more.
  @Test func refusesRowsThatAreNotFinite() throws {
    let details = RecordDetails(key: "key")
    var wronglyJudged: [UInt16] = []
    for pattern in UInt16.min ... .max {
      let place = Int(pattern) % 7
      var row = [UInt8](repeating: 0xff, count: 14)
      for component in 0..<7 { row[2 * component + 1] = 0xfb }
      row[2 * place] = UInt8(truncatingIfNeeded: pattern)
      row[2 * place + 1] = UInt8(truncatingIfNeeded: pattern >> 8)
      let writer = ByteWriter()
      row.withRawSpan { JournalPayload.encode(details, row: $0, into: writer) }
      let decoded = writer.withRawSpan {
        JournalPayload.decode($0, kind: .put, dimension: 7)?.row
      }
      // Infinities and NaNs are the patterns whose five bits of exponent are set.
      if (decoded != nil) == (pattern >> 10 & 31 == 31) { wronglyJudged.append(pattern) }
    }
    #expect(wronglyJudged.isEmpty)
  }

  /// A change of these bytes is a change of the format.
  @Test func bytesAreThoseOfThePage() throws {
    var journal = TestJournal()
    journal.append([
      .put(
        RecordDetails(
          key: "key", part: 2, timestamp: -2, labels: ["a", "bc"], metadata: [9], text: "t"))
    ])
    journal.append([
      .update(DetailsUpdate(key: "key", part: 2, text: .some(nil))),
      .remove(key: "key", part: 2), .remove(key: "key", part: nil), .removeAll,
    ])
    let payloads = journal.entryOffsets.map { offset in
      let count = Int(journal.file.value(at: offset + 4, as: UInt32.self))
      return Array(journal.file.bytes[offset + 24..<offset + 24 + count])
    }
    let expected = [
      """
      0200 3f00 0300 0200 feffffffffffffff 07000000 01000000 01000000 06000000
      000102030405 6b6579 0100 61 0200 6263 09 74 000000000000
      """, "01000000 00000000 8000000000000000",
      "0200 1000 0300 0000 0000000000000080 00000000 00000000 00000000 00000000 6b6579 0000000000",
      "0200 0000 0300 0000 6b6579 0000000000", "0000 0100 0300 0000 6b6579 0000000000", "",
      "04000000 00000000 8000000000000000",
    ].map { [UInt8](hexadecimal: $0) }
    #expect(payloads == expected)
    let first = Array(journal.file.bytes[128..<148])
    #expect(
      first
        == [UInt8](hexadecimal: "454a 01 00 38000000 6400000000000000")
        + little(journal.header.checksum))
    #expect(journal.entryOffsets.allSatisfy { $0 % 8 == 0 })
  }

  private func little(_ value: UInt32) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  /// The page's recipe: store identifier, generation, salt, offset, 20 bytes, payload.
  @Test func checksumsCoverWhatThePageSays() {
    let journal = TestJournal.sample()
    for (offset, next) in zip(
      journal.entryOffsets, journal.entryOffsets.dropFirst() + [journal.file.count])
    {
      let writer = ByteWriter()
      writer.append(Array(journal.file.bytes[16..<40]))
      writer.append(Array(journal.file.bytes[56..<64]))
      writer.append(UInt64(offset))
      writer.append(Array(journal.file.bytes[offset..<offset + 20]))
      writer.append(Array(journal.file.bytes[offset + 24..<next]))
      let checksum = writer.withRawSpan { Checksum.masked(Checksum.crc32c($0)) }
      #expect(journal.file.value(at: offset + 20, as: UInt32.self) == checksum)
    }
  }

  @Test func anEntryIsValidInItsOwnJournalAndPlaceOnly() throws {
    let journal = TestJournal.sample()
    var other = journal
    for change in 0..<4 {
      let old = journal.header
      other.header = JournalHeader(
        identifier: change == 0 ? StoreIdentifier(high: 1, low: 3) : old.identifier,
        generation: change == 1 ? 4 : old.generation, mainGeneration: old.mainGeneration,
        mainHeaderChecksum: old.mainHeaderChecksum, dimension: old.dimension,
        salt: change == 2 ? old.salt ^ 1 : old.salt,
        firstSequence: change == 3 ? old.firstSequence + 1 : old.firstSequence)
      let (outcome, changes) = try other.replay()
      #expect(outcome.commitCount == 0 && changes.isEmpty, "\(change)")
    }
    var moved = journal
    moved.file.bytes.insert(contentsOf: [UInt8](repeating: 0, count: 8), at: 128)
    #expect(try moved.replay().outcome.commitCount == 0)
  }

  /// Lengths and flags that no payload can have, with checksums that hold: refused, never a trap
  /// and never an allocation of what they claim.
  @Test func hostilePayloadsAreRefusedThoughTheirChecksumsHold() throws {
    let whole = TestJournal.sample()
    let longer: [UInt32] = [0x40, 0xff, 0x7fff, 0xffff]
    let longest: [UInt32] = longer + [0x7fff_ffff, 0xffff_fff8, 0xffff_ffff]
    let hostile: [(field: Int, width: Int, values: [UInt32])] = [
      (2, 2, longer + [0]), (4, 2, longer + [0]), (6, 2, longer), (16, 4, longest),
      (20, 4, longest), (24, 4, longest), (28, 4, longest + [0, 5, 7]),
    ]
    for entry in whole.entryOffsets.prefix(2) {
      for (field, width, values) in hostile {
        for value in values {
          var journal = whole
          if width == 2 {
            journal.file.set(UInt16(truncatingIfNeeded: value), at: entry + 24 + field)
          } else {
            journal.file.set(value, at: entry + 24 + field)
          }
          journal.seal(from: entry)
          #expect(journal.code() == .journalCorrupt, "entry \(entry) field \(field): \(value)")
        }
      }
    }
  }

  @Test func labelsThatAreFewerThanTheirBytesAreRefused() throws {
    var journal = TestJournal.sample()
    for count in [0, 1] as [UInt16] {
      journal.file.set(count, at: journal.entryOffsets[0] + 24 + 6)
      journal.seal(from: 0)
      #expect(journal.code() == .journalCorrupt)
    }
  }

  @Test func emptyKeysAreRefused() throws {
    let changes: [Change] = [
      .put(RecordDetails(key: "")), .update(DetailsUpdate(key: "")), .remove(key: "", part: nil),
    ]
    for change in changes {
      var journal = TestJournal()
      journal.append([change])
      #expect(journal.code() == .journalCorrupt, "\(change)")
    }
  }

  @Test func anUpdateWithARowIsRefused() throws {
    var journal = TestJournal.sample()
    journal.file.set(JournalEntryHeader.Kind.update.rawValue, at: journal.entryOffsets[0] + 2)
    journal.seal(from: 0)
    #expect(journal.code() == .journalCorrupt)
  }

  @Test func anUpdateWithARevisionIsRefused() throws {
    var journal = TestJournal()
    journal.append([.update(DetailsUpdate(key: "eight by", text: .some("and eight")))])
    journal.file.set(UInt16(16 + 32 + 64), at: journal.entryOffsets[0] + 24 + 2)
    journal.seal(from: 0)
    #expect(journal.code() == .journalCorrupt)
  }

  @Test func aRevisionThatSaysNoneIsRefused() throws {
    var journal = TestJournal()
    journal.append([.put(RecordDetails(key: "key", revision: 1))])
    journal.file.set(UInt64(0), at: journal.entryOffsets[0] + 24 + 32)
    journal.seal(from: 0)
    #expect(journal.code() == .journalCorrupt)
  }

  @Test func anEntryWhoseZeroIsNotZeroEndsTheJournal() throws {
    var journal = TestJournal.sample()
    journal.file.set(UInt8(1), at: journal.entryOffsets[0] + 3)
    journal.seal(from: 0)
    #expect(try journal.replay().outcome.commitCount == 0)
  }

  @Test func anEntryOfALengthThatIsNoMultipleOfEightEndsTheJournal() throws {
    var journal = TestJournal()
    journal.append([.removeAll])
    let entry = journal.entryOffsets[0]
    journal.file.bytes.removeSubrange((entry + 24)...)
    journal.file.bytes += [0, 0, 0, 0]
    journal.file.set(UInt32(4), at: entry + 4)
    journal.entryOffsets = [entry]
    journal.seal(from: 0)
    #expect(try journal.replay().outcome.tornTailByteCount == 28)
  }

  @Test func paddingThatIsNotZeroIsRefusedThoughTheChecksumHolds() throws {
    var journal = TestJournal()
    journal.append([.put(RecordDetails(key: "a")), .remove(key: "a", part: 1)])
    for entry in [0, 1] {
      let last = journal.entryOffsets[entry + 1] - 1
      var forged = journal
      forged.file.set(UInt8(1), at: last)
      forged.seal(from: forged.entryOffsets[entry])
      #expect(forged.code() == .journalCorrupt)
    }
  }

  @Test(
    arguments: [
      0xffff_ffff, 0xffff_fff8, 0x7fff_fff8, 0x0800_0008, 0x0800_0000, 1 << 20, 7, 0,
    ] as [UInt32])
  func hostileEntryLengthsEndTheJournal(length: UInt32) throws {
    var journal = TestJournal.sample()
    let entry = journal.entryOffsets[3]
    journal.file.set(length, at: entry + 4)
    let (outcome, changes) = try journal.replay()
    #expect(outcome.commitCount == 1)
    #expect(changes == journal.changes(inCommits: 1))
    #expect(outcome.tornTailByteCount == UInt64(journal.file.count - journal.commits[0].end))
  }

  @Test func forgedPayloadsNeverTrap() throws {
    let whole = TestJournal.sample()
    let interesting: [UInt8] = [0, 1, 2, 0x3f, 0x40, 0x7f, 0x80, 0xff]
    for seed in 1...2_000 as ClosedRange<UInt64> {
      var generator = SeededGenerator(seed: seed)
      var journal = whole
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let offset = Int.random(in: 128..<whole.file.count, using: &generator)
        // Where entries begin and how long they are stays, or there is nothing to seal.
        guard !whole.entryOffsets.contains(where: { ($0..<$0 + 8).contains(offset) }) else {
          continue
        }
        journal.file.set(interesting.randomElement(using: &generator) ?? 0, at: offset)
      }
      journal.seal(from: 128)
      #expect([nil, .journalCorrupt].contains(journal.code()), "seed \(seed)")
      #expect([nil, .journalCorrupt].contains(journal.code(salvaging: true)), "seed \(seed)")
    }
  }
}
