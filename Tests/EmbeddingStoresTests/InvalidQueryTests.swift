import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Queries that can not be answered: a typed error, never a trap and never a wrong answer.
@Suite struct InvalidQueryTests {
  let store: EmbeddingStore

  init() throws {
    store = try EmbeddingStore(inMemory: .small)
    try store.put(numberedRecords(0..<10))
  }

  @Test(arguments: [0, -1, Int.min])
  func aCountBelowOneIsRefused(count: Int) throws {
    expectError(.invalidArgument, naming: "\(count)") {
      _ = try store.search(for: axisVector(0), count: count)
    }
    expectError(.invalidArgument) {
      _ = try store.search([Query(.vector(axisVector(0))), Query(.key("k0"), count: count)])
    }
  }

  @Test func aNegativeOffsetOrAMinimumThatIsNoNumberIsRefused() throws {
    expectError(.invalidArgument, naming: "-1") {
      _ = try store.search(Query(.vector(axisVector(0)), offset: -1))
    }
    expectError(.invalidArgument, naming: "score") {
      _ = try store.search(Query(.vector(axisVector(0)), minimumScore: .nan))
    }
  }

  @Test func offsetsAndCountsNeverOverflow() throws {
    let query = Query(.vector(axisVector(0)), count: .max, offset: .max)
    #expect(try store.search(query) == [])
    #expect(try store.search(Query(.vector(axisVector(0)), count: .max, offset: 9)).count == 1)
    #expect(try store.search(Query(.vector(axisVector(0)), count: 1, offset: 10)) == [])
  }

  @Test(arguments: [
    ([Float](), StoreError.Code.wrongDimension),
    ([Float](repeating: 1, count: 7), .wrongDimension),
    ([Float](repeating: 1, count: 9), .wrongDimension),
    ([Float](repeating: .nan, count: 8), .notFinite),
    ([Float](repeating: -.infinity, count: 8), .notFinite),
    ([Float](repeating: 0, count: 8), .zeroVector),
    ([Float](repeating: -0.0, count: 8), .zeroVector),
    ([Float](repeating: Float(bitPattern: 71_362), count: 8), .zeroVector),
  ])
  func aVectorThatCanNotBeComparedIsRefused(vector: [Float], code: StoreError.Code) throws {
    expectError(code, naming: "query") { _ = try store.search(for: vector) }
    expectError(code) { _ = try store.search(for: [axisVector(0), vector]) }
    expectError(code) { _ = try store.search(for: Embedding(vector, in: .small)) }
  }

  @Test func aQueryBeyondFloat16IsRefusedOnlyWithoutNormalisation() throws {
    let vector = axisVector(0).map { $0 * 1e6 }
    #expect(try store.search(for: vector).count == 10)
    let exact = try EmbeddingStore(inMemory: .exact)
    try exact.put(numberedRecords(0..<3))
    expectError(.outOfRange) { _ = try exact.search(for: vector) }
  }

  @Test func anUnknownKeyIsNotFound() throws {
    let error = expectError(.notFound, naming: "unknown") {
      _ = try store.search(like: "unknown")
    }
    #expect(error?.key == "unknown")
    expectError(.notFound, naming: "part 1") { _ = try store.search(like: "k0", part: 1) }
    expectError(.notFound) { _ = try store.search(like: "") }
    try store.remove(["k0"])
    expectError(.notFound) { _ = try store.search(like: "k0") }
  }

  @Test func anEmbeddingOfAnotherSpaceIsRefused() throws {
    for other in [
      EmbeddingSpace(model: " test", dimension: 8),
      EmbeddingSpace(model: "test", revision: "1", dimension: 8), .exact,
    ] {
      expectError(.spaceMismatch, naming: "test") {
        _ = try store.search(for: Embedding(axisVector(0), in: other))
      }
    }
  }

  @Test func oneBadQueryOfManyFailsThemAll() throws {
    let good = Query(.vector(axisVector(0)))
    expectError(.notFound, naming: "nobody") {
      _ = try store.search([good, good, good, Query(.key("nobody")), good])
    }
    #expect(try store.search([] as [Query]) == [])
  }

  @Test func keysThatNoRecordCanHaveAreSimplyNotThere() throws {
    let long = String(repeating: "k", count: 70_000)
    for key in ["", long] {
      #expect(try !store.contains(key))
      #expect(try store.remove([key]).removedCount == 0)
      #expect(try store.remove(key, part: 0).removedCount == 0)
      #expect(try store.search(for: axisVector(0), filter: Filter(keys: [key])) == [])
    }
    #expect(try store.count() == 10)
  }
}
