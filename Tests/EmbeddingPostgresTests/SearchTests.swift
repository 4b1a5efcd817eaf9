import EmbeddingStores
import EmbeddingTestSupport
import EmbeddingTextSearch
import Foundation
import Testing

@testable import EmbeddingPostgres

@Suite(.needsServer) struct SearchTests {
  static let filters: [Filter] = [
    Filter(),
    Filter(labels: [.any(["beach", "nowhere"]), .none(["東京"])]),
    Filter(labels: [.all(["dog", "beach"])]),
    Filter(labels: [.any([])]), Filter(labels: [.all([])]), Filter(labels: [.none([])]),
    Filter(timestamps: Date(timeIntervalSince1970: -9e8)..<Date(timeIntervalSince1970: -8.5e8)),
    Filter(timestamps: Date.distantPast..<Date.distantFuture, labels: [.none(["dog"])]),
    Filter(keys: (0..<40).map { TestRecords.key($0 * 10) } + ["unknown", "nul\0"]),
    Filter(labels: [.all(["nul\0"])]), Filter(labels: [.none(["nul\0"])]),
  ]

  @Test func anExactSearchOnTheServerFindsWhatTheStoreFinds() async throws {
    let namespace = try TestNamespace()
    let table: any EmbeddingSearching & Sendable
    let postgres = try await namespace.table()
    table = postgres
    let store = try TestRecords.store(TestRecords.records(0..<1_000))
    // Equal rows, whose order the keys decide.
    var copies = TestRecords.records(10..<80)
    for index in copies.indices { copies[index].vector = copies[0].vector }
    try store.put(copies)
    try await postgres.push(store, device: "phone")
    var generator = SeededGenerator("SearchTests", seed: 1)
    for filter in Self.filters {
      for target in [
        Query.Target.vector(RandomVectors.vector(dimension: 32, using: &generator)),
        .embedding(Embedding(copies[0].vector.map { $0 * 100 }, in: TestRecords.space)),
        .key(TestRecords.key(5)), .key(TestRecords.key(9), part: UInt16(9 % 7) * 10_000),
      ] {
        for (count, offset) in [(10, 0), (30, 25)] {
          for grouping in [Query.Grouping.bestPartPerKey, .everyPart] {
            let query = Query(
              target, count: count, offset: offset, minimumScore: count == 30 ? 0.2 : nil,
              filter: filter, grouping: grouping)
            let local = try await store.search(query)
            #expect(try await table.search(query) == local)
          }
        }
      }
    }
    let all = Query(.key(TestRecords.key(5)), count: 2_000, grouping: .everyPart)
    let expected = try await store.search(all)
    #expect(try await table.search(all) == expected)
  }

  /// Rows whose components are the same in another order have one score with a vector of ones, but
  /// for rounding, which the server does in another order than the device.
  @Test func rowsThatOnlyRoundingTellsApartComeInTheOrderOfTheDevice() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    var generator = SeededGenerator("SearchTests", seed: 2)
    let vector = RandomVectors.vector(dimension: 32, using: &generator)
    let store = try TestRecords.store(
      (0..<1_000).map { Record(key: "\($0)", vector: vector.shuffled(using: &generator)) })
    try await table.push(store, device: "phone")
    let query = Query(.vector([Float](repeating: 1, count: 32)), count: 10)
    let expected = try await store.search(query)
    #expect(try await table.search(query) == expected)
  }

  @Test func aNarrowFilterStillGivesAllThatIsAskedFor() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table(searchMethod: .graph(searchedRows: 1, scannedRows: 1))
    let store = try TestRecords.store(TestRecords.records(0..<2_000))
    try store.update(
      (0..<2_000).map {
        RecordUpdate(
          key: TestRecords.key($0), part: $0 % 5 == 4 ? UInt16($0 % 7) * 10_000 : 0,
          labels: .set($0 % 200 == 0 ? ["rare"] : ["common"]))
      })
    try await table.push(store, device: "phone")
    try await table.createIndexes()
    let vector = RandomVectors.vector(number: 1, dimension: 32)
    let query = Query(.vector(vector), count: 10, filter: Filter(labels: [.any(["rare"])]))
    let expected = try await store.search(query)
    #expect(try await table.search(query) == expected)
    let more = Query(.vector(vector), count: 50, filter: Filter(labels: [.any(["rare"])]))
    #expect(try await table.search(more).count == 10)
  }

  @Test(arguments: [SearchMethod.Order.relaxed, .strict])
  func theGraphFindsNearlyAll(order: SearchMethod.Order) async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table(searchMethod: .graph(order: order))
    let store = try TestRecords.store(TestRecords.records(0..<3_000))
    try await table.push(store, device: "phone")
    try await table.createIndexes()
    var found = 0
    for number in 0..<50 {
      let query = Query(.vector(RandomVectors.vector(number: number, dimension: 32)), count: 10)
      let matches = try await table.search(query)
      #expect(matches.count == 10)
      found += Set(matches).intersection(try await store.search(query)).count
    }
    #expect(found >= 475, "of 500")
  }

  @Test func valuesAreNeverPartOfTheStatement() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table(owner: "o'; DROP TABLE photos; --")
    var records = TestRecords.records(0..<3)
    records[0].labels = ["'); DROP TABLE photos; --", "$1", "{\"}"]
    let store = try TestRecords.store(records)
    try await table.push(store, device: "'; --")
    for label in records[0].labels {
      let query = Query(.vector(records[1].vector), filter: Filter(labels: [.any([label])]))
      let expected = try await store.search(query)
      #expect(try await table.search(query) == expected)
    }
    try await expectEqual(table, store)
  }

  @Test func whatTheDeviceRefusesIsRefusedInTheSameWay() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    for (query, code) in [
      (Query(.vector([1, 2])), StoreError.Code.wrongDimension),
      (Query(.vector([Float](repeating: .nan, count: 32))), .notFinite),
      (Query(.vector([Float](repeating: 0, count: 32))), .zeroVector),
      (Query(.key("unknown")), .notFound), (Query(.key("nul\0")), .notFound),
      (Query(.vector([Float](repeating: 1, count: 32)), count: 0), .invalidArgument),
      (
        Query(.embedding(Embedding([1], in: EmbeddingSpace(model: "x", dimension: 1)))),
        .spaceMismatch
      ),
    ] {
      let error = await expect(throwsCode: .store) { try await table.search(query) }
      #expect(error?.storeError?.code == code)
    }
    let closure = Query(.vector([Float](repeating: 1, count: 32))) { _ in true }
    await expect(throwsCode: .unsupportedQuery) { try await table.search(closure) }
  }
}
