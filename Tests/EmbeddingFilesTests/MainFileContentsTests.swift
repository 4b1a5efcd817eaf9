import Testing

@testable import EmbeddingFiles

@Suite struct MainFileContentsTests {
  @Test func holdsWhatWasPut() throws {
    let main = try TestMainFile.open(TestMainFile.bytes())
    #expect(main.rowCount == TestMainFile.records.count)
    for (row, record) in TestMainFile.records.enumerated() {
      var expected = record
      // Composed and decomposed labels are two, by bytes.
      expected.labels.sort(by: KeyOrder.precedes)
      let details = try main.details(of: row)
      #expect(details == expected)
      #expect(KeyOrder.areEqual(details.key, record.key))
      #expect(details.labels.map { Array($0.utf8) } == expected.labels.map { Array($0.utf8) })
      #expect(try main.changeNumber(of: row) == UInt64(row + 1))
      let bytes = try main.withRows(row..<row + 1) { $0.array(at: 0, count: $0.byteCount) }
      #expect(bytes == TestMainFile.row(row) + [UInt8](repeating: 0, count: 58))
      #expect(
        try main.rows(withKey: record.key, hash: KeyHash.hash(record.key)).contains(row))
    }
    #expect(try main.rows(withKey: "c", hash: KeyHash.hash("c")).isEmpty)
    #expect(main.problems().isEmpty)
  }

  static let emptyDetails: [[RecordDetails]] = [
    [RecordDetails(key: "a", metadata: [])], [RecordDetails(key: "a", text: "")],
    [
      RecordDetails(key: "a", text: String(repeating: "long", count: 30_000)),
      RecordDetails(key: "b", metadata: [], text: ""), RecordDetails(key: "c", text: ""),
    ],
    [
      RecordDetails(key: "a", metadata: []), RecordDetails(key: "b"),
      RecordDetails(key: "c", text: "words"), RecordDetails(key: "d", metadata: []),
    ],
  ]

  /// Once, details without a byte were said to lie in a block that nobody wrote, and their record
  /// could not be read after a compaction.
  @Test(arguments: emptyDetails.indices)
  func emptyDetailsAreReadBackAsEmpty(index: Int) throws {
    let records = Self.emptyDetails[index]
    let main = try TestMainFile.open(TestMainFile.bytes(records))
    for (row, record) in records.enumerated() {
      #expect(try main.details(of: row) == record)
    }
    #expect(main.problems().isEmpty)
  }

  /// A section, the offset of a value in it, its width, and what it becomes.
  static let forgeries: [(String, SectionKind, Int, Int, UInt64)] = [
    ("a component that is infinite", .rows, 0, 2, 0x7c00),
    ("a component that is not a number", .rows, 66, 2, 0xfe00),
    ("a change number beyond the last", .changeNumbers, 8, 8, 1 << 40),
    ("the change number 0", .changeNumbers, 8, 8, 0),
    // The fuzzer found that a verified store could hold one record twice.
    ("the key and part of another row", .parts, 2, 2, 0),
    ("a key that begins behind the keys", .keyOffsets, 8, 8, 1 << 40),
    ("a key at the largest offset", .keyOffsets, 8, 8, .max),
    ("a key that ends before it begins", .keyOffsets, 16, 8, 0),
    ("an empty key", .keyOffsets, 8, 8, 0), ("a key that is not UTF-8", .keyBytes, 0, 1, 0xff),
    ("another key", .keyBytes, 0, 1, 0x7a),
    ("a label behind the labels", .labelOffsets, 4, 4, UInt64(UInt32.max)),
    ("a label that is not UTF-8", .labelBytes, 0, 1, 0xff),
    ("labels of a row behind all labels", .rowLabelOffsets, 4, 4, UInt64(UInt32.max)),
    ("a label that is not there", .rowLabels, 0, 4, 4),
    ("label 2^32 - 1", .rowLabels, 0, 4, UInt64(UInt32.max)),
    ("a block that is not there", .detailLocations, 0, 4, 1),
    ("block 2^32 - 1", .detailLocations, 0, 4, UInt64(UInt32.max)),
    ("details behind their block", .detailLocations, 4, 4, 1 << 20),
    ("details at the largest offset", .detailLocations, 4, 4, UInt64(UInt32.max)),
    ("metadata longer than the block", .detailLocations, 8, 4, 10_000),
    ("metadata longer than any", .detailLocations, 8, 4, UInt64(UInt32.max) - 1),
    ("text longer than any", .detailLocations, 12, 4, UInt64(UInt32.max) - 1),
    ("a block behind all blocks", .detailBlocks, 0, 8, 1 << 40),
    ("a block at 2^63 - 1", .detailBlocks, 0, 8, UInt64(Int64.max)),
    ("a block at the largest offset", .detailBlocks, 0, 8, .max),
    ("a block that is stored longer", .detailBlocks, 8, 4, 60_000),
    ("a block that unpacks to more", .detailBlocks, 12, 4, 60_000),
    ("a block that unpacks to 4 GiB", .detailBlocks, 12, 4, UInt64(UInt32.max)),
    ("a block that unpacks to less", .detailBlocks, 12, 4, 10),
  ]

  @Test(arguments: forgeries)
  func forgedReferencesAreProblemsThoughEveryChecksumHolds(
    what: String, kind: SectionKind, offset: Int, width: Int, value: UInt64
  ) throws {
    var bytes = try TestMainFile.bytes()
    let section = try bytes.sectionOffset(kind)
    for index in 0..<width {
      bytes.set(
        UInt8(truncatingIfNeeded: value >> UInt64(8 * index)), at: section + offset + index)
    }
    bytes.sealMainFile()
    #expect(TestMainFile.code(bytes) == .corrupt)
  }

  @Test func aKeyIndexThatLeadsAstrayOrNowhereIsAProblem() throws {
    let whole = try TestMainFile.bytes()
    let index = try whole.sectionOffset(.keyIndex)
    for rowPlusOne in [0, 6, 7, UInt32.max] {
      var bytes = whole
      for slot in 0..<16 {
        bytes.set(rowPlusOne, at: index + 8 * slot)
      }
      bytes.sealMainFile()
      #expect(TestMainFile.code(bytes) == .corrupt, "every slot holds \(rowPlusOne)")
    }
  }

  /// Keys would be listed twice, and a row be read twice as a part of its key.
  @Test func aKeyIndexThatLeadsToARowTwiceIsAProblem() throws {
    var bytes = try TestMainFile.bytes([RecordDetails(key: "a")])
    let index = try bytes.sectionOffset(.keyIndex)
    let hash = KeyHash.hash("a")
    for step in 0..<2 as Range<UInt64> {
      let slot = Int((hash &+ step) & 3)
      bytes.set((hash >> 32) << 32 | 1, at: index + 8 * slot)
    }
    bytes.sealMainFile()
    let main = try TestMainFile.open(bytes)
    #expect(try main.rows(withKey: "a", hash: hash) == [0, 0])
    #expect(main.problems().map(\.code) == [.corrupt])
  }

  /// Without the flag nobody looks for further parts of a key.
  @Test func aPartThatTheHeaderDoesNotSpeakOfIsAProblem() throws {
    var bytes = try TestMainFile.bytes()
    bytes.set(UInt32(0), at: 100)
    bytes.sealMainFile()
    #expect(TestMainFile.code(bytes) == .corrupt)
  }

  /// The index leads to it, and everything else is in order.
  @Test func anEmptyKeyIsAProblem() throws {
    var bytes = try TestMainFile.bytes([RecordDetails(key: "a")])
    bytes.set(UInt64(0), at: try bytes.sectionOffset(.keyOffsets) + 8)
    let index = try bytes.sectionOffset(.keyIndex)
    for slot in 0..<4 { bytes.set(UInt64(0), at: index + 8 * slot) }
    let hash = KeyHash.hash("")
    bytes.set((hash >> 32) << 32 | 1, at: index + 8 * Int(hash & 3))
    bytes.sealMainFile()
    let main = try TestMainFile.open(bytes)
    #expect(try main.rows(withKey: "", hash: hash) == [0])
    #expect(main.problems().map(\.code) == [.corrupt])
  }

  @Test func blocksOfDetailsAreNoLongerThanTheFormatAllows() throws {
    let longest = DetailBlock.maximumByteCount
    #expect(longest == 65_536 + (32 << 20))
    for (stored, unpacked, isPossible) in [
      (1, longest, true), (longest, longest, true), (1, longest + 1, false),
      (longest + 1, longest + 1, false), (11, 10, false), (0, 0, true),
    ] {
      let writer = ByteWriter()
      DetailBlock(offset: 0, storedByteCount: stored, uncompressedByteCount: unpacked)
        .encode(into: writer)
      #expect(writer.withRawSpan { DetailBlock($0) != nil } == isPossible)
    }
  }

  /// Whatever the bytes say, reading ends, with an error or without, and never traps.
  @Test func forgedBytesNeverTrap() throws {
    let whole = try TestMainFile.bytes()
    let interesting: [UInt64] = [0, 1, 0x7f, 0x80, 0xff, 1 << 31, 1 << 32, 1 << 62, 1 << 63, .max]
    let headerEnd = MainHeader.sectionsOffset + 32 * 14
    for seed in 1...3_000 as ClosedRange<UInt64> {
      var generator = SeededGenerator(seed: seed)
      var bytes = whole
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let isHeader = Bool.random(using: &generator)
        let offset =
          isHeader
          ? Int.random(in: 8..<headerEnd, using: &generator)
          : Int.random(in: MainHeader.byteCount..<whole.count - 8, using: &generator)
        let width = [1, 2, 4, 8].randomElement(using: &generator) ?? 1
        let value = interesting.randomElement(using: &generator) ?? 0
        for index in 0..<width {
          bytes.set(UInt8(truncatingIfNeeded: value >> UInt64(8 * index)), at: offset + index)
        }
      }
      bytes.sealMainFile()
      let code = TestMainFile.code(bytes)
      #expect([nil, .corrupt, .unsupportedFormat].contains(code), "seed \(seed)")
    }
  }
}

@Suite struct MainFileKeyIndexTests {
  private func rows(_ index: [UInt8], hash: UInt64) throws -> [Int] {
    let slots = TestBytes(index)
    var rows: [Int] = []
    try KeyIndex.forEachCandidate(
      hash: hash, slotCount: index.count / 8,
      slot: { (slot) throws(StorageError) in
        (slots.value(at: 8 * slot, as: UInt32.self), slots.value(at: 8 * slot + 4, as: UInt32.self))
      },
      { (row) throws(StorageError) in
        rows.append(row)
        return true
      })
    return rows
  }

  /// How many bits of the hashes differ: 64 for random keys, few for keys that collide.
  @Test(arguments: [
    UInt64.max, 0x7, 0xffff_ffff, 0xffff_ffff_0000_0000, 0x3_0000_0000, 0,
  ])
  func findsEveryRowWhateverCollides(mask: UInt64) throws {
    var generator = SeededGenerator(seed: mask)
    for count in [0, 1, 2, 3, 5, 100, 700] {
      let hashes = (0..<count).map { _ in generator.next() & mask }
      let index = try encoded(hashes: hashes)
      #expect(KeyIndex.isPossible(slotCount: UInt64(index.count / 8), rowCount: count))
      #expect(index.count / 8 == KeyIndex.slotCount(forRowCount: count))
      #expect(count * 3 <= index.count / 8 * 2)
      for (row, hash) in hashes.enumerated() {
        #expect(try rows(index, hash: hash).contains(row))
      }
      for hash in (0..<50).map({ _ in generator.next() & mask }) {
        let found = try rows(index, hash: hash)
        #expect(Set(found).count == found.count)
        #expect(found.allSatisfy { hashes[$0] >> 32 == hash >> 32 })
        #expect(
          Set(found).isSuperset(of: hashes.indices.filter { hashes[$0] == hash }))
      }
    }
  }

  private func encoded(hashes: [UInt64]) throws -> [UInt8] {
    let writer = ByteWriter()
    try KeyIndex.forEachSlot(hashes: hashes) { (row, fragment) in
      writer.append(row)
      writer.append(fragment)
    }
    return writer.bytes
  }

  @Test func findsEachOfManyRealKeysAndNoOther() throws {
    let keys = (0..<2_000).map { "IMG_\($0)" }
    let index = try encoded(hashes: keys.map(KeyHash.hash))
    for (row, key) in keys.enumerated() {
      #expect(try rows(index, hash: KeyHash.hash(key)) == [row])
    }
    for number in 2_000..<4_000 {
      #expect(try rows(index, hash: KeyHash.hash("IMG_\(number)")).isEmpty)
    }
  }

  @Test func endsInATableWithoutAFreeSlot() throws {
    let slots = TestBytes([UInt8](repeating: 1, count: 8 * 64))
    #expect(try rows(slots.bytes, hash: 0x0101_0101_0000_0005).count == 64)
  }

  @Test func tablesThatNoWriterMakesAreImpossible() {
    for slotCount in [0, 3, 6, 1_000, .max, 1 << 63, 1 << 40] as [UInt64] {
      #expect(!KeyIndex.isPossible(slotCount: slotCount, rowCount: 2))
    }
    #expect(!KeyIndex.isPossible(slotCount: 4, rowCount: 4))
    #expect(KeyIndex.isPossible(slotCount: 4, rowCount: 3))
  }
}
