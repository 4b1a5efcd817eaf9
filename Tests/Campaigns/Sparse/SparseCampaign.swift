import EmbeddingFiles
import EmbeddingStores
import Foundation

/// Files beyond 2 and 4 GiB and rows beyond 2^31, where 32 bits do not do.
///
/// The rows at the edges are looked for by what says where they are: a key, a filter, a search.
package struct SparseCampaign: Campaign {
  package let name = "sparse"
  package let purpose = "look for the rows at the edges of files beyond 4 GiB, made of holes"
  package let unit = "ways to look"

  package init() {}

  package func count(at scale: CampaignScale) -> Int {
    switch scale {
    case .test: 1
    case .push: 4
    case .release: 5
    }
  }

  package func run(_ run: CampaignRun) throws {
    let ways = [
      lookByKey, scanEveryRow, readJournalThatEndsInAHole, lookBeyondTwoBillionRows,
      lookAtAsManyRowsAsThereMayBe,
    ]
    for way in ways where !run.isFinished {
      do {
        try way(run)
      } catch let error as StoreError where error.code == .mappingFailed {
        run.note("Not tried for want of address space: \(error)")
      } catch let error as StorageError where [.mappingFailed, .noSpace].contains(error.code) {
        run.note("Not tried, as the system does not let files or mappings be so large: \(error)")
      }
      run.tried()
    }
  }

  /// 480 dimensions make rows of 960 bytes, so that the edges lie within rows.
  private static let dimension = 480

  private func beyondFourGiB(_ run: CampaignRun) throws -> SparseStore {
    let stride = MainHeader.stride(forDimension: Self.dimension)
    let edges = [1 << 31, 1 << 32].map { ($0 - MainHeader.byteCount) / stride }
    let rowCount = edges[1] + 1_000
    let rows = [0] + edges.flatMap { [$0 - 1, $0, $0 + 1] } + [rowCount - 1]
    let store = SparseStore(
      url: run.directory.appending(path: "store-\(run.tried)", directoryHint: .isDirectory),
      main: SparseMainFile(rows: rows, rowCount: rowCount, dimension: Self.dimension))
    try store.write()
    try check(store, run)
    return store
  }

  private func check(_ store: SparseStore, _ run: CampaignRun) throws {
    let (allocated, all) = (try store.allocatedByteCount(), try store.byteCount())
    run.note("\(store.main.rowCount) rows, a file of \(all) bytes that takes \(allocated)")
    if allocated > 256 << 20 { run.found("The file has no holes: it takes \(allocated) bytes.") }
    if all <= 1 << 32 { run.found("The file has only \(all) bytes.") }
  }

  // MARK: - Ways to look

  private func lookByKey(_ run: CampaignRun) throws {
    let sparse = try beyondFourGiB(run)
    var configuration = StoreConfiguration()
    configuration.compaction = .manual
    do {
      let store = try EmbeddingStore(readingAt: sparse.url)
      try expectEdges(of: sparse.main, in: store, run)
    }
    let store = try EmbeddingStore(
      at: sparse.url,
      space: EmbeddingSpace(
        model: "sparse", dimension: Self.dimension, normalization: .none),
      configuration: configuration)
    try expectEdges(of: sparse.main, in: store, run)
    let last = sparse.main.rows[sparse.main.rows.count - 1]
    let key = SparseMainFile.key(of: last)
    try store.update([RecordUpdate(key: key, text: .set("updated"))])
    try store.remove([SparseMainFile.key(of: 0)])
    expect(try store.record(for: key)?.text == "updated", "an update of the last row", run)
    expect(try store.count() == sparse.main.rowCount - 1, "the count after a removal", run)
    expect(try !store.contains(SparseMainFile.key(of: 0)), "a removal of the first row", run)
    try store.removeAll()
    try store.put(Record(key: "new", vector: sparse.main.vector(of: last)))
    try store.compact()
    expect(try store.verify().isIntact, "a compaction into a small file", run)
    expect(try store.keys() == ["new"], "the keys after a compaction", run)
  }

  private func scanEveryRow(_ run: CampaignRun) throws {
    let sparse = try beyondFourGiB(run)
    let store = try EmbeddingStore(readingAt: sparse.url)
    for row in sparse.main.rows {
      let matches = try store.search(
        Query(.vector(sparse.main.vector(of: row)), count: 10, minimumScore: 0.5))
      expect(matches.map(\.key) == [SparseMainFile.key(of: row)], "a search for row \(row)", run)
    }
  }

  /// Nothing says that the hole was ever written, so it is an unfinished append; the next commit
  /// leaves it behind.
  private func readJournalThatEndsInAHole(_ run: CampaignRun) throws {
    let url = run.directory.appending(path: "store-\(run.tried)", directoryHint: .isDirectory)
    let space = EmbeddingSpace(model: "sparse", dimension: 4, normalization: .none)
    do {
      let store = try EmbeddingStore(at: url, space: space)
      try store.put(Record(key: "before", vector: [1, 2, 3, 4]))
    }
    let path = url.appending(path: "journal-1").path
    let journal = try POSIXFileSystem().open(path, .readWrite)
    let end = try journal.attributes().byteCount
    try journal.truncate(to: 5 << 30)
    let store = try EmbeddingStore(at: url, space: space)
    expect(
      store.openReport.unfinishedByteCount == Int(5 << 30 - end), "the size of the hole", run)
    try store.put(Record(key: "behind", vector: [4, 3, 2, 1]))
    expect(try Set(store.keys()) == ["before", "behind"], "the keys around the hole", run)
    expect(try store.statistics().journalByteCount < 4_096, "the size of the new journal", run)
  }

  private func lookBeyondTwoBillionRows(_ run: CampaignRun) throws {
    try lookInMainFile(rowCount: 1 << 31 + 8, run)
  }

  private func lookAtAsManyRowsAsThereMayBe(_ run: CampaignRun) throws {
    try lookInMainFile(rowCount: FormatLimits.rowCount, run)
  }

  /// Without a store, whose bitmap of live rows would take hundreds of megabytes.
  private func lookInMainFile(rowCount: Int, _ run: CampaignRun) throws {
    let edge = 1 << 31
    let rows = [0, edge - 2, edge - 1, edge, edge + 1, rowCount - 1]
    let sparse = SparseStore(
      url: run.directory.appending(path: "store-\(run.tried)", directoryHint: .isDirectory),
      main: SparseMainFile(rows: rows, rowCount: rowCount, dimension: 16))
    try sparse.write()
    try check(sparse, run)
    let main = try sparse.openMainFile()
    expect(main.rowCount == rowCount, "the number of rows", run)
    for row in rows {
      let key = SparseMainFile.key(of: row)
      expect(try main.rows(withKey: key, hash: KeyHash.hash(key)) == [row], "\(key) by key", run)
      expect(try main.key(of: row) == key, "the key of \(key)", run)
      expect(try main.timestamp(of: row) == Int64(row), "the timestamp of \(key)", run)
      expect(try main.changeNumber(of: row) == UInt64(row) + 1, "the number of \(key)", run)
      expect(try main.part(of: row) == 0, "the part of \(key)", run)
      let expected = sparse.main.vector(of: row).map { $0 == 1 ? UInt16(0x3c00) : 0 }
      let found = try main.withRows(row..<row + 1) { (span) throws(StorageError) in
        (0..<expected.count).map { span.integer(at: 2 * $0, as: UInt16.self) }
      }
      expect(found == expected, "the vector of \(key)", run)
    }
  }

  // MARK: - Checks

  private func expectEdges(
    of main: SparseMainFile, in store: EmbeddingStore, _ run: CampaignRun
  ) throws {
    expect(try store.count() == main.rowCount, "the count", run)
    let keys = main.rows.map(SparseMainFile.key)
    for row in main.rows {
      let key = SparseMainFile.key(of: row)
      let record = try store.record(for: key)
      expect(record?.vector == main.vector(of: row), "the vector of \(key)", run)
      expect(
        record?.timestamp == Date(timeIntervalSince1970: Double(row) / 1_000),
        "the timestamp of \(key)", run)
      let query = Query(
        .vector(main.vector(of: row)), count: 1, filter: Filter(keys: keys))
      let match = try store.search(query).first
      expect(match?.key == key && match?.score == 1, "a filtered search for \(key)", run)
    }
  }

  private func expect(
    _ condition: @autoclosure () throws -> Bool, _ what: String, _ run: CampaignRun
  ) {
    do {
      if try !condition() { run.found("Not as it should be: \(what).") }
    } catch {
      run.found("\(what): \(error)")
    }
  }
}
