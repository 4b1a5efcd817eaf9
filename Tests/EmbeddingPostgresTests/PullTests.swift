import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

@testable import EmbeddingPostgres

@Suite(.needsServer) struct PullTests {
  @Test func whatOneDevicePushesAnotherPulls() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    let phone = try TestRecords.store(TestRecords.records(0..<6_000))
    let tablet = try TestRecords.store()
    try await table.push(phone, device: "phone")
    let progress = try await table.pull(into: tablet, device: "tablet")
    #expect(progress.completedCount == 6_000)
    #expect(try contents(of: tablet) == contents(of: phone))

    try phone.put(TestRecords.records(10..<20, version: 1))
    try phone.remove((50..<60).map(TestRecords.key))
    try await table.push(phone, device: "phone")
    let second = try await table.pull(into: tablet, device: "tablet")
    #expect(second.completedCount == 20 && second.removedCount == 10)
    #expect(try contents(of: tablet) == contents(of: phone))
    // What was pulled is not pushed back.
    #expect(try await table.push(tablet, device: "tablet").completedCount == 0)
  }

  @Test func aRemovalOnOneDeviceReachesTheOthersAndDoesNotComeBack() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    let phone = try TestRecords.store(TestRecords.records(0..<100))
    let tablet = try TestRecords.store()
    try await table.push(phone, device: "phone")
    try await table.pull(into: tablet, device: "tablet")
    try tablet.remove([TestRecords.key(3)])
    try await table.push(tablet, device: "tablet")
    try await table.pull(into: phone, device: "phone")
    #expect(try !phone.contains(TestRecords.key(3)))
    // A stale copy of what another device removed meanwhile does not come back either.
    try phone.remove([TestRecords.key(5)])
    try tablet.put(TestRecords.records(5..<6))
    try await table.push(phone, device: "phone")
    try await table.push(tablet, device: "tablet")
    try await table.pull(into: tablet, device: "tablet")
    #expect(try !tablet.contains(TestRecords.key(5)))
    try await expectEqual(table, phone)
    try await expectEqual(table, tablet)
  }

  @Test func whatWasRemovedDoesNotComeBackIntoAnEmptyTable() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    let phone = try TestRecords.store(TestRecords.records(0..<2))
    let tablet = try TestRecords.store()
    try await table.push(phone, device: "phone")
    try await table.pull(into: tablet, device: "tablet")
    try phone.remove((0..<2).map(TestRecords.key))
    try await table.push(phone, device: "phone", removingAtMost: 1)
    try tablet.put(TestRecords.records(0..<1, version: 1))
    try await table.push(tablet, device: "tablet")
    #expect(try await table.count() == 0)
  }

  @Test func whatIsPutDuringAPullIsPushedAfterwards() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    let (phone, tablet) = (
      try TestRecords.store(TestRecords.records(0..<5_000)), try TestRecords.store()
    )
    try await table.push(phone, device: "phone")
    // Between the first page and the second.
    try await table.pull(into: tablet, device: "tablet") { progress in
      guard progress.completedCount < 5_000 else { return }
      _ = try? tablet.put(TestRecords.records(5_000..<5_001))
    }
    try await table.push(tablet, device: "tablet")
    #expect(try await table.count() == 5_001)
    try await expectEqual(table, tablet)
  }

  /// Two devices change and remove what they share, push and pull in any order, and agree whenever both
  /// have done so twice.
  @Test func devicesThatPushAndPullInAnyOrderAgreeInTheEnd() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    let stores = try [TestRecords.store(), TestRecords.store(), TestRecords.store()]
    var generator = SeededGenerator("PullTests", seed: 3)
    for round in 0..<12 {
      for _ in 0..<12 {
        let device = Int.random(in: 0..<3, using: &generator)
        let store = stores[device]
        let number = Int.random(in: 0..<40, using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0, 1:
          try store.put(TestRecords.records(number..<number + 5, version: round * 3 + device))
        case 2: try store.remove([TestRecords.key(number)])
        case 3: try await table.push(store, device: "\(device)", removingAtMost: 1)
        default: try await table.pull(into: store, device: "\(device)")
        }
      }
      for _ in 0..<2 {
        for (device, store) in stores.enumerated() {
          try await table.push(store, device: "\(device)", removingAtMost: 1)
          try await table.pull(into: store, device: "\(device)")
        }
      }
      for store in stores { try await expectEqual(table, store) }
    }
  }

  /// Numbers that were taken first may be committed last; a pull in between must not pass over them.
  @Test func aPullMissesNothingOfATransactionThatEndsLate() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    let (phone, tablet) = (
      try TestRecords.store(TestRecords.records(0..<10)), try TestRecords.store()
    )
    try await table.push(phone, device: "phone")
    try await table.pull(into: tablet, device: "tablet")
    let late = try Connection(to: TestServer.server())
    try late.run("BEGIN")
    let change = try late.takeChanges(1, owner: "", in: namespace.schema()) + 1
    try late.run(
      """
      INSERT INTO \(namespace.name).photos (key, embedding, change)
      SELECT 'late', embedding, \(change) FROM \(namespace.name).photos LIMIT 1
      """)
    try phone.put(TestRecords.records(10..<20))
    let other = try await namespace.table()
    let push = Task { try await other.push(phone, device: "phone") }
    try await Task.sleep(for: .milliseconds(500))
    // Does not wait for those who push.
    try await table.pull(into: tablet, device: "tablet")
    try late.run("COMMIT")
    _ = try await push.value
    try await table.pull(into: tablet, device: "tablet")
    #expect(try tablet.contains("late") && tablet.count() == 21)
  }

  @Test(arguments: [
    ("part = 70000", "ALTER TABLE photos DROP CONSTRAINT photos_part_check"),
    ("embedding = (SELECT array_agg(3)::vector FROM generate_series(1, 32))", nil),
    ("embedding = (SELECT array_agg(0)::vector FROM generate_series(1, 32))", nil),
    ("\"timestamp\" = 'infinity'", nil), ("labels = ARRAY[NULL]::text[]", nil),
    ("labels = '{{a},{b}}'", nil), ("labels = ARRAY[repeat('x', 70000)]", nil), ("key = ''", nil),
  ])
  func aRowThatNoStoreCanHoldIsNamedAndNothingOfItsBatchIsStored(
    change: String, before: String?
  ) async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    try await table.push(try TestRecords.store(TestRecords.records(0..<20)), device: "phone")
    if let before {
      try namespace.run(
        before.replacing("photos DROP", with: "\(namespace.name).photos DROP"))
    }
    try namespace.run(
      "UPDATE \(namespace.name).photos SET \(change) WHERE key = 'IMG_7.jpg'")
    let store = try TestRecords.store()
    await expect(throwsCode: .invalidRow) { try await table.pull(into: store, device: "new") }
    #expect(try store.count() == 0)
    try namespace.run("DELETE FROM \(namespace.name).photos WHERE key IN ('IMG_7.jpg', '')")
    try await table.pull(into: store, device: "new")
    #expect(try store.count() == 19)
  }
}
