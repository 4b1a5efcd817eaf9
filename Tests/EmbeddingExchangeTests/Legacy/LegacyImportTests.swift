import EmbeddingExchange
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Everything that can be known to be good is taken, nothing else, and the files stay as they are.
@Suite struct LegacyImportTests {
  typealias Item = LegacyApp.Item

  private let app: LegacyApp

  init() throws {
    app = try LegacyApp()
  }

  /// Imports into a new store, and checks that every record is the one of its key.
  private func importing(
    _ check: (Set<String>, LegacyReport) throws -> Void
  ) throws {
    let space = EmbeddingSpace(
      model: "MobileCLIP-S2", dimension: LegacyApp.dimension, normalization: .none)
    let store = try EmbeddingStore(inMemory: space)
    let before = try image()
    let report = try store.importLegacyFiles(app.files)
    #expect(try image() == before)
    let keys = Set(try store.keys())
    #expect(report.importedCount == keys.count)
    for key in keys {
      let stored = try #require(try store.vector(for: key))
      for (component, original) in zip(stored, LegacyApp.vector(key)) {
        guard abs(component - original) <= 0x1p-11 else {
          Issue.record("\(key) has another vector")
          break
        }
      }
    }
    try check(keys, report)
  }

  /// Bytes and dates of every file.
  private func image() throws -> [String: [AnyHashable]] {
    var image: [String: [AnyHashable]] = [:]
    for url in [app.files.main, app.files.journal, app.files.tombstones] {
      guard let bytes = try? Data(contentsOf: url) else { continue }
      let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
      image[url.lastPathComponent] = [bytes, try #require(attributes[.modificationDate] as? Date)]
    }
    return image
  }

  private func photos(_ numbers: Range<Int>) -> [Item] {
    numbers.map { Item(LegacyApp.photo($0)) }
  }

  private func keys(_ numbers: some Sequence<Int>) -> Set<String> {
    Set(numbers.map(LegacyApp.photo))
  }

  @Test func wholeFilesAreTakenWhole() throws {
    try app.saveAll(photos(0..<40))
    try app.appendNew(photos(40..<50))
    try app.appendNew(photos(50..<55))
    try app.markDeleted([LegacyApp.photo(3), LegacyApp.photo(52)])
    try importing { found, report in
      #expect(found == keys(0..<55).subtracting(keys([3, 52])))
      #expect(report.leftovers.map(\.key) == [3, 52].map(LegacyApp.photo))
      #expect(report.leftovers.allSatisfy { $0.reason == .removed })
      #expect(report.isComplete)
    }
  }

  @Test func eitherFileAloneIsEnough() throws {
    try app.appendNew(photos(0..<3))
    try importing { found, report in #expect(found == keys(0..<3) && report.isComplete) }
    try app.saveAll([])
    try importing { found, report in #expect(found == [] && report.isComplete) }
    try app.saveAll(photos(0..<3))
    try importing { found, report in #expect(found == keys(0..<3) && report.isComplete) }
    try app.removeFiles()
    expectError(.notFound) { try importing { _, _ in } }
  }

  @Test func theJournalGoesBeforeTheMainFile() throws {
    try app.saveAll([Item(LegacyApp.photo(0), LegacyApp.vector("old")), Item(LegacyApp.photo(1))])
    try app.appendNew([Item(LegacyApp.photo(0))])
    try importing { found, report in #expect(found == keys(0..<2) && report.isComplete) }
  }

  // In the app, 10 good records, an 11th cut short and 50 acknowledged appends lost all 50.
  @Test func anAppendThatWasCutShortCostsOnlyItself() throws {
    let length = Item(LegacyApp.photo(10)).bytes.count
    for cut in [1, 2, 3, 20, 41, 42, 43, 46, 300, 1_026, 2_047, length - 4, length - 1] {
      try app.removeFiles()
      try app.appendNew(photos(0..<10))
      try app.appendNew(photos(10..<11), byteCount: cut)
      try app.appendNew(photos(11..<20))
      try importing { found, report in
        #expect(found == keys(0..<10).union(keys(11..<20)), "cut at \(cut)")
        #expect(report.damages.map(\.bytes) == [10 * length..<10 * length + cut], "cut at \(cut)")
        #expect(report.leftovers.isEmpty && !report.isComplete)
      }
    }
  }

  // The beginning of the second went for the end of the first: its text for components.
  @Test func aCutWithinAKeyBehindAnotherCutMakesNoRecordUp() throws {
    let length = Item(LegacyApp.photo(1)).bytes.count
    for (missing, cut) in [(1, 10), (3, 12), (8, 20), (19, 20), (39, 44), (43, 44)] {
      try app.removeFiles()
      try app.appendNew(photos(0..<1))
      try app.appendNew(photos(1..<2), byteCount: length - missing)
      try app.appendNew(photos(2..<3), byteCount: cut)
      try app.appendNew(photos(3..<6))
      try importing { found, _ in
        #expect(found == keys([0, 3, 4, 5]), "\(missing) bytes missing, then cut at \(cut)")
      }
    }
  }

  @Test func severalCutsOneAfterTheOtherCostOnlyThemselves() throws {
    var generator = SeededGenerator("torn journals", seed: .random(in: .min ... .max))
    for _ in 0..<6 {
      try app.removeFiles()
      var expected: Set<String> = []
      for number in 0..<30 {
        // Keys of all lengths, so that records are aligned in every way.
        let key = LegacyApp.photo(number) + String(repeating: "x", count: number % 7)
        let item = Item(key)
        if Int.random(in: 0..<4, using: &generator) == 0 {
          let cut = Int.random(in: 1..<item.bytes.count, using: &generator)
          try app.appendNew([item], byteCount: cut)
        } else {
          try app.appendNew([item])
          expected.insert(key)
        }
      }
      try importing { found, _ in
        // A record alone between two that were cut short may be beyond knowing; none is ever made up.
        #expect(found.isSubset(of: expected))
        #expect(found.count >= expected.count - 3, "\(expected.subtracting(found))")
      }
    }
  }

  @Test func aJournalCutAnywhereAtItsEndKeepsTheRest() throws {
    let length = Item(LegacyApp.photo(0)).bytes.count
    for cut in stride(from: 1, to: length, by: 151) {
      try app.removeFiles()
      try app.appendNew(photos(0..<3), byteCount: 2 * length + cut)
      try importing { found, report in
        #expect(found == keys(0..<2), "cut at \(cut)")
        #expect(report.damages.map(\.bytes) == [2 * length..<2 * length + cut])
      }
    }
  }

  @Test func aMainFileCutShortIsReported() throws {
    try app.saveAll(photos(0..<10))
    let whole = try Data(contentsOf: app.files.main)
    try whole.prefix(whole.count - 100).write(to: app.files.main)
    try importing { found, report in
      #expect(found == keys(0..<9))
      #expect(report.damages.count == 2)
      #expect(report.damages.last?.description.contains("10 records, and 9") == true)
    }
  }

  @Test func damagedBytesCostTheirRecord() throws {
    try app.saveAll(photos(0..<10))
    let length = Item(LegacyApp.photo(0)).bytes.count
    let whole = try Data(contentsOf: app.files.main)
    for (offset, name) in [(0, "length"), (5, "key"), (50, "vector")] {
      var bytes = whole
      let start = 12 + 4 * length + offset
      bytes.replaceSubrange(start..<start + 8, with: Data(repeating: 0xff, count: 8))
      try bytes.write(to: app.files.main)
      try importing { found, report in
        #expect(found == keys(0..<10).subtracting(keys([4])), "\(name)")
        #expect(!report.isComplete)
      }
    }
  }

  // A device that loses power may leave zeros where the last append was.
  @Test func zerosWhereRecordsWereCostOnlyThemselves() throws {
    try app.appendNew(photos(0..<5))
    try app.append(Data(count: 5_000), to: app.files.journal)
    try app.appendNew(photos(5..<10))
    try importing { found, report in
      #expect(found == keys(0..<10))
      #expect(report.damages.map(\.bytes.count) == [5_000])
    }
  }

  @Test func recordsBehindADamagedHeaderAreFound() throws {
    try app.saveAll(photos(0..<5))
    var bytes = try Data(contentsOf: app.files.main)
    bytes[0] = 0
    try bytes.write(to: app.files.main)
    try importing { found, report in
      #expect(found == keys(0..<5))
      #expect(report.damages.contains { $0.description == "no header" && $0.bytes == 0..<12 })
    }
    for bytes in [Data(), Data("QEMB".utf8), Data(repeating: 7, count: 100_000)] {
      try bytes.write(to: app.files.main)
      try importing { found, report in #expect(found.isEmpty && !report.isComplete) }
    }
  }

  @Test func aHeaderThatMiscountsIsReported() throws {
    try app.saveAll(photos(0..<5), count: 1_000_000)
    try importing { found, report in #expect(found == keys(0..<5) && report.damages.count == 1) }
  }

  @Test func anotherVersionIsRefused() throws {
    try app.saveAll(photos(0..<5), version: 2)
    expectError(.unsupportedFormat, naming: "version 2", "imageEmbedding.qemb") {
      try importing { _, _ in }
    }
  }

  @Test func vectorsOfFailedEncodingsAreLeft() throws {
    var broken = LegacyApp.vector("x")
    broken[100] = .nan
    var infinite = LegacyApp.vector("x")
    infinite[511] = .infinity
    let zero = [Float](repeating: 0, count: LegacyApp.dimension)
    let space = EmbeddingSpace(model: "MobileCLIP-S2", dimension: LegacyApp.dimension)
    for isLast in [false, true] {
      try app.saveAll(
        photos(0..<2) + [Item("nan", broken)] + photos(2..<4) + [Item("zero", zero)]
          + photos(4..<6) + [Item("infinite", infinite)] + (isLast ? [] : photos(6..<7)))
      let store = try EmbeddingStore(inMemory: space)
      let report = try store.importLegacyFiles(app.files)
      #expect(Set(try store.keys()) == keys(0..<(isLast ? 6 : 7)))
      #expect(report.damages.isEmpty)
      #expect(report.leftovers.map(\.key) == ["infinite", "nan", "zero"])
      let codes = report.leftovers.map { leftover in
        if case .refused(let error) = leftover.reason {
          error.code
        } else {
          nil as StoreError.Code?
        }
      }
      #expect(codes == [.notFinite, .notFinite, .zeroVector])
    }
  }

  @Test func keysThatAreNoTextAreLeft() throws {
    try app.appendNew(photos(0..<2))
    var bytes = Item("caf?").bytes
    bytes[5] = 0xc3
    try app.append(bytes, to: app.files.journal)
    try app.appendNew(photos(2..<3) + [Item("")] + photos(3..<5))
    try importing { found, report in
      #expect(found == keys(0..<5))
      #expect(report.leftovers.map(\.key) == ["", "caf\u{fffd}"])
      #expect(report.damages.isEmpty)
    }
  }

  // In the app, removing "keep\nalso" removed "keep" and "also", and kept the target.
  @Test func keysWithLineBreaksMakeRemovalsUncertain() throws {
    try app.saveAll([Item("keep"), Item("also"), Item("keep\nalso"), Item("other\nkey"), Item("z")])
    try app.markDeleted(["keep\nalso"])
    try importing { found, report in
      #expect(found == ["other\nkey", "z"])
      #expect(report.leftovers.map(\.key) == ["also", "keep", "keep\nalso"])
      #expect(report.leftovers.allSatisfy { $0.reason == .removalUncertain })
    }
    try app.markDeleted(["also"])
    try importing { _, report in
      #expect(report.leftovers.map(\.reason) == [.removed, .removalUncertain, .removalUncertain])
    }
  }

  // The app split lines at other line ends too; what it wrote tells that only these were meant.
  @Test func otherLineEndsInKeysAreNoLineBreaks() throws {
    try app.saveAll([Item("a\u{2028}b"), Item("a"), Item("b"), Item("c\rd"), Item("c")])
    try app.markDeleted(["a\u{2028}b", "c\rd"])
    try importing { found, _ in #expect(found == ["a", "b", "c"]) }
  }

  @Test func aTornListOfRemovalsKeepsItsWholeLines() throws {
    try app.saveAll(photos(0..<4) + [Item("café"), Item("cafu")])
    try app.markDeleted([LegacyApp.photo(1)])
    // Cut within the é: the app lost the whole list.
    try app.append(Data("caf".utf8) + [0xc3], to: app.files.tombstones)
    try importing { found, report in
      #expect(found == keys([0, 2, 3]).union(["cafu"]))
      #expect(report.leftovers.map(\.reason) == [.removed, .removalUncertain])
    }
    // A later append goes on behind the torn one.
    try app.markDeleted([LegacyApp.photo(2)])
    try importing { found, report in
      #expect(found == keys([0, 3]).union(["cafu"]))
      #expect(
        report.leftovers.map(\.reason) == [.removed, .removalUncertain, .removalUncertain])
    }
    // A few letters that many keys begin with do not cost them all.
    try app.saveAll(photos(0..<4))
    try app.append(Data("B84E".utf8), to: app.files.tombstones)
    try importing { found, _ in #expect(found == keys(0..<4)) }
  }

  @Test func removedKeysThatAreNotThereAreNothing() throws {
    try app.saveAll(photos(0..<4) + [Item("gone for good")])
    try app.markDeleted(["B84E", "", LegacyApp.photo(99), "gone"])
    try importing { found, report in
      #expect(found == keys(0..<4).union(["gone for good"]) && report.isComplete)
    }
  }

  @Test func whatCanNotBeReadIsNotMissing() throws {
    try app.appendNew(photos(0..<2))
    try FileManager.default.createDirectory(
      at: app.files.main, withIntermediateDirectories: false)
    #expect(throws: StoreError.self) { try importing { _, _ in } }
  }

  @Test func importsAreCancelledBetweenBatches() async throws {
    try app.saveAll(photos(0..<1_500))
    let space = EmbeddingSpace(model: "MobileCLIP-S2", dimension: LegacyApp.dimension)
    let store = try EmbeddingStore(inMemory: space)
    let files = app.files
    let task = Task {
      try await store.importLegacyFiles(files) { _ in withUnsafeCurrentTask { $0?.cancel() } }
    }
    await #expect(throws: StoreError.self) { try await task.value }
    #expect(try store.count() == 1_024)
    #expect(try await store.importLegacyFiles(files).importedCount == 1_500)
  }
}
