import EmbeddingFiles
import EmbeddingIndexing
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Synchronization
import Testing

@Suite struct SpaceMigrationTests {
  private let place: TemporaryDirectory
  private var directory: URL { place.store("photos.embeddings") }
  private let source = TestSource(count: 50)

  init() throws {
    place = try TemporaryDirectory()
  }

  /// A store on disk with every item of the source.
  private func indexedStore() async throws -> EmbeddingStore {
    let store = try EmbeddingStore(at: directory, space: .test)
    try await TestBench(source, store: store).indexer().run()
    return store
  }

  private func migrate(_ migration: SpaceMigration) async throws -> IndexingProgress {
    try await migration.indexer(
      source: source, encoder: EncoderLoader(TestEncoder(space: .next)), throttle: NoThrottle()
    ).run()
  }

  private func expectItems(
    _ items: [SourceItem], in store: EmbeddingStore, parts: Int = 1
  ) throws {
    let bench = try TestBench(source, store: store)
    for item in items { #expect(try bench.holds(item, parts: parts)) }
    #expect(try store.count() == items.count * parts)
  }

  @Test func buildsTheNewSpaceBesideTheOldOneAndSwitches() async throws {
    let old = try await indexedStore()
    let migration = try SpaceMigration(of: old, to: .next)
    #expect(try migration.status().missingCount == 50)
    #expect(try await migrate(migration).completed == 50)
    #expect(try migration.status().isComplete)
    try expectItems(TestSource.items(0..<50), in: old)
    #expect(try SpaceMigration.spaceBeside(directory) == .next)

    let new = try migration.switchOver()
    #expect(new.space == .next && new.directory == old.directory)
    try expectItems(TestSource.items(0..<50), in: new)
    #expect(try SpaceMigration.spaceBeside(directory) == .test)
    #expect(try new.verify().isIntact)

    // Searches under way in the old store end well, and nobody writes to it by mistake.
    defer { #expect(throws: Never.self) { try old.close() } }
    try expectItems(TestSource.items(0..<50), in: old)
    let error = #expect(throws: StoreError.self) { try old.remove(["item 1"]) }
    #expect(error?.code == .storeMoved)

    // The next launch finds the new space at the same place, and is told when it expects the old.
    try new.close()
    let mismatch = #expect(throws: StoreError.self) {
      try EmbeddingStore(at: directory, space: .test)
    }
    #expect(
      mismatch?.code == .spaceMismatch && mismatch?.message.contains("SpaceMigration") == true)
    try expectItems(
      TestSource.items(0..<50), in: EmbeddingStore(at: directory, space: .next))
  }

  @Test func detailsAreCarriedOverAndNothingIsRecomputed() async throws {
    let old = try await indexedStore()
    let date = Date(timeIntervalSince1970: 77)
    try old.update([
      RecordUpdate(
        key: "item 7", timestamp: .set(date), labels: .set(["by hand"]),
        metadata: .set(Data([1, 2])), text: .set("recognised"))
    ])
    // The source says something else of an item that has not changed.
    source.state.withLock { $0.items[7].labels = ["from the source"] }
    let migration = try SpaceMigration(of: old, to: .next)
    _ = try await migrate(migration)
    // Changed after its row was migrated.
    try old.update([
      RecordUpdate(key: "item 7", text: .set("recognised better")),
      RecordUpdate(key: "item 8", labels: .set(["late"])),
    ])
    let new = try migration.switchOver()
    let carried = try #require(try new.record(for: "item 7"))
    #expect(carried.timestamp == date && carried.labels == ["by hand"])
    #expect(carried.metadata == Data([1, 2]) && carried.text == "recognised better")
    #expect(try new.record(for: "item 8")?.labels == ["late"])
    try expectItems(TestSource.items(0..<50), in: new)
  }

  @Test func goesOnWhereItWasLeft() async throws {
    let old = try await indexedStore()
    let encoder = TestEncoder(space: .next)
    do {
      var options = IndexingOptions()
      options.batchSize = 10
      let stopping = StoppingThrottle(after: 20)
      let first = try SpaceMigration(of: old, to: .next)
      let progress = try await first.indexer(
        source: source, encoder: EncoderLoader(encoder), options: options, throttle: stopping
      ).run()
      #expect(progress.end == .throttled && progress.completed == 20)
      let refusal = #expect(throws: StoreError.self) { try first.switchOver() }
      #expect(refusal?.code == .migrationIncomplete)
      #expect(refusal?.message.contains("30 of 50") == true)
    }
    let again = try SpaceMigration(of: old, to: .next)
    let indexer = try again.indexer(
      source: source, encoder: EncoderLoader(encoder), throttle: NoThrottle())
    #expect(try await indexer.run().completed == 30)
    #expect(encoder.calls.withLock { $0.keys.count } == 50)
    try expectItems(TestSource.items(0..<50), in: again.switchOver())
  }

  @Test func whatCanNotBeEncodedMayBeLeftBehindWhenAllowed() async throws {
    let old = try await indexedStore()
    source.state.withLock { $0.behaviours["item 3"] = .encodedAs(.zero) }
    let migration = try SpaceMigration(of: old, to: .next)
    #expect(try await migrate(migration).failed == 1)
    #expect(throws: StoreError.self) { try migration.switchOver() }
    #expect(try migration.current.count() == 50)

    let new = try migration.switchOver(leavingBehindAtMost: 0.02)
    #expect(try new.count() == 49 && !new.contains("item 3"))
    // Its failure went along with the store.
    #expect(try FailureLedger(of: new).failure(for: "item 3")?.space == .next)
  }

  @Test func itemsOfTheSourceThatChangedOrCameSinceAreEmbeddedAsTheyAre() async throws {
    let old = try await indexedStore()
    source.state.withLock {
      $0.items = TestSource.items(0..<5, revision: "2") + TestSource.items(5..<55)
    }
    let migration = try SpaceMigration(of: old, to: .next)
    #expect(try await migrate(migration).completed == 55)
    try expectItems(source.state.withLock { $0.items }, in: migration.switchOver())
  }

  @Test func goingBackIsOneStepUntilTheOldStoreIsDiscarded() async throws {
    let migration = try SpaceMigration(of: await indexedStore(), to: .next)
    _ = try await migrate(migration)
    let new = try migration.switchOver()
    let back = try SpaceMigration.switchBack(new)
    #expect(back.space == .test)
    try expectItems(TestSource.items(0..<50), in: back)
    #expect(try SpaceMigration.spaceBeside(directory) == .next)
    // And forward again: nothing has to be encoded anew.
    let forward = try SpaceMigration(of: back, to: .next)
    #expect(try forward.status().isComplete)
    let final = try forward.switchOver()
    try expectItems(TestSource.items(0..<50), in: final)

    try SpaceMigration.discardStoreBeside(directory)
    #expect(try SpaceMigration.spaceBeside(directory) == nil)
    let error = #expect(throws: StoreError.self) { try SpaceMigration.switchBack(final) }
    #expect(error?.code == .notFound)
    try SpaceMigration.discardStoreBeside(directory)
    let names = try FileManager.default.contentsOfDirectory(atPath: place.url.path)
    #expect(names == ["photos.embeddings"])
    try expectItems(TestSource.items(0..<50), in: final)
  }

  @Test func aMigrationThatWasOnlyBegunIsNoStoreToGoBackTo() async throws {
    let old = try await indexedStore()
    let migration = try SpaceMigration(of: old, to: .next)
    try migration.next.put(Record(key: "a", vector: [Float](repeating: 1, count: 12)))
    let error = #expect(throws: StoreError.self) { try SpaceMigration.switchBack(old) }
    #expect(error?.code == .notFound)
    #expect(try old.count() == 50)
  }

  @Test func goingBackWhileTheEarlierStoreIsOpenChangesNothing() async throws {
    let migration = try SpaceMigration(of: await indexedStore(), to: .next)
    _ = try await migrate(migration)
    let new = try migration.switchOver()
    let place = place.store("photos.embeddings.other-space")
    let open = try EmbeddingStore(at: place, space: .test)
    let error = #expect(throws: StoreError.self) { try SpaceMigration.switchBack(new) }
    #expect(error?.code == .alreadyOpenForWriting)
    let discarding = #expect(throws: StoreError.self) {
      try SpaceMigration.discardStoreBeside(directory)
    }
    #expect(discarding?.code == .alreadyOpenForWriting)
    #expect(try new.count() == 50 && open.count() == 50)
    #expect(try EmbeddingStore(readingAt: directory).space == .next)
  }

  @Test func whileAnotherProcessWritesToTheNewStoreNothingIsSwitched() async throws {
    var configuration = StoreConfiguration()
    configuration.lockTimeout = .milliseconds(50)
    let old = try EmbeddingStore(at: directory, space: .test, configuration: configuration)
    try await TestBench(source, store: old).indexer().run()
    let migration = try SpaceMigration(of: old, to: .next)
    _ = try await migrate(migration)
    let lock = place.store("photos.embeddings.other-space").appending(path: "LOCK")
    let held = try POSIXFileSystem().open(lock.path(percentEncoded: false), .readWrite)
    #expect(try held.tryLock())
    let error = #expect(throws: StoreError.self) { try migration.switchOver() }
    #expect(error?.code == .locked)
    #expect(try EmbeddingStore(readingAt: directory).space == .test)
    try held.close()
    try migration.next.close()
    let new = try SpaceMigration(of: old, to: .next).switchOver()
    try expectItems(TestSource.items(0..<50), in: new)
  }

  @Test func whatWasRemovedMeanwhileDoesNotComeBackAndWhatArrivedStays() async throws {
    let old = try await indexedStore()
    source.state.withLock { $0.items = TestSource.items(0..<55) }
    let migration = try SpaceMigration(of: old, to: .next)
    #expect(try await migrate(migration).completed == 55)
    try old.remove(["item 1", "item 2"])
    let new = try migration.switchOver()
    try expectItems(
      TestSource.items(0..<1) + TestSource.items(3..<55), in: new)
  }

  @Test func theLedgerCanBeOpenedAfterGoingBack() async throws {
    let old = try await indexedStore()
    let migration = try SpaceMigration(of: old, to: .next)
    _ = try await migrate(migration)
    let back = try SpaceMigration.switchBack(migration.switchOver())
    #expect(try FailureLedger(of: back).count() == 0)
    _ = old
  }

  @Test func aLinkAndAStoreOpenedForReadingAreRefused() async throws {
    let old = try await indexedStore()
    try old.close()
    let reader = try EmbeddingStore(readingAt: directory)
    let readOnly = #expect(throws: StoreError.self) { try SpaceMigration(of: reader, to: .next) }
    #expect(readOnly?.code == .readOnly)
    let link = place.store("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: directory)
    let linked = try EmbeddingStore(at: link, space: .test)
    let error = #expect(throws: StoreError.self) { try SpaceMigration(of: linked, to: .next) }
    #expect(error?.code == .invalidArgument)
  }

  @Test func aPathThatEndsInADotIsTheSamePlace() async throws {
    _ = try await indexedStore()
    let store = try EmbeddingStore(at: directory.appending(path: "."), space: .test)
    let migration = try SpaceMigration(of: store, to: .next)
    _ = try await migrate(migration)
    _ = try migration.switchOver()
    #expect(try EmbeddingStore(readingAt: directory).space == .next)
    #expect(try SpaceMigration.spaceBeside(directory) == .test)
  }

  @Test func aDiscardingThatWasCutShortIsFinished() async throws {
    let store = try await indexedStore()
    let discarded = place.store("photos.embeddings.discarded")
    try FileManager.default.createDirectory(at: discarded, withIntermediateDirectories: false)
    try Data("half".utf8).write(to: discarded.appending(path: "main-3"))
    _ = try SpaceMigration(of: store, to: .next)
    #expect(!FileManager.default.fileExists(atPath: discarded.path))
  }

  @Test func aStoreOfAThirdSpaceBesideItIsNotWrittenOver() async throws {
    let old = try await indexedStore()
    _ = try SpaceMigration(of: old, to: .next)
    var third = EmbeddingSpace.next
    third.revision = "3"
    let error = #expect(throws: StoreError.self) { try SpaceMigration(of: old, to: third) }
    #expect(error?.code == .alreadyExists && error?.message.contains("iscard") == true)
    #expect(try SpaceMigration.spaceBeside(directory) == .next)
  }

  @Test func aStoreInMemoryOrOfThatSpaceIsRefused() throws {
    let memory = try EmbeddingStore(inMemory: .test)
    #expect(throws: StoreError.self) { try SpaceMigration(of: memory, to: .next) }
    let store = try EmbeddingStore(at: directory, space: .test)
    #expect(throws: StoreError.self) { try SpaceMigration(of: store, to: .test) }
    #expect(throws: StoreError.self) {
      try SpaceMigration(of: store, to: .next).switchOver(leavingBehindAtMost: -1)
    }
  }

  @Test func aReaderInTheOldSpaceIsToldThatTheStoreMoved() async throws {
    let old = try await indexedStore()
    let reader = try EmbeddingStore(readingAt: directory)
    let migration = try SpaceMigration(of: old, to: .next)
    _ = try await migrate(migration)
    let new = try migration.switchOver()
    try expectItems(TestSource.items(0..<50), in: reader)
    let error = #expect(throws: StoreError.self) { try reader.refresh() }
    #expect(error?.code == .storeMoved)
    try expectItems(TestSource.items(0..<50), in: EmbeddingStore(readingAt: directory))
    _ = new
  }

  @Test func searchesOfOneSpaceNeverSeeTheOther() async throws {
    let old = try await indexedStore()
    let migration = try SpaceMigration(of: old, to: .next)
    _ = try await migrate(migration)
    let new = try migration.switchOver()
    let query = TestEncoder.vector("query", dimension: 8)
    #expect(try await old.search(for: Embedding(query, in: .test), count: 100).count == 50)
    await #expect(throws: StoreError.self) {
      try await new.search(for: Embedding(query, in: .test), count: 100)
    }
  }
}

private struct StoppingThrottle: IndexingThrottle {
  let limit: Int

  init(after limit: Int) {
    self.limit = limit
  }

  func decision(processed: Int) async -> ThrottleDecision {
    processed >= limit ? .stop : .proceed()
  }
}
