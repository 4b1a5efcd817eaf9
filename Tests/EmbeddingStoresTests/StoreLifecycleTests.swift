import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import XCTest

/// Opening, using and closing a store again and again, as the launches of an app do, and how long
/// putting and searching take. XCTest, for its set-up, tear-down and measurements.
final class StoreLifecycleTests: XCTestCase {
  private var directory: TemporaryDirectory?

  override func setUpWithError() throws {
    directory = try TemporaryDirectory()
  }

  override func tearDownWithError() throws {
    let url = directory?.url
    directory = nil
    if let url { XCTAssertFalse(FileManager.default.fileExists(atPath: url.path)) }
  }

  private func open(_ configuration: StoreConfiguration = StoreConfiguration()) throws
    -> EmbeddingStore
  {
    try EmbeddingStore(
      at: try XCTUnwrap(directory).store(), space: .small, configuration: configuration)
  }

  func testTwentyLaunchesKeepEverything() throws {
    for launch in 0..<20 {
      let store = try open()
      XCTAssertEqual(try store.count(), launch)
      XCTAssertEqual(store.openReport.wasCreated, launch == 0)
      try store.put(numberedRecords(launch..<launch + 1))
      if launch % 4 == 1 { try store.compact() }
      if launch % 3 == 0 { try store.close() }
    }
  }

  func testEveryDurabilityKeepsWhatWasCommitted() throws {
    for (number, durability) in [
      Durability.processKill, .orderedPowerLoss, .powerLoss,
    ].enumerated() {
      var configuration = StoreConfiguration()
      configuration.durability = durability
      let store = try open(configuration)
      try store.put(numberedRecords(number..<number + 1))
      try store.synchronize()
      XCTAssertEqual(try store.count(), number + 1)
    }
  }

  func testOpeningAStoreWritesNothing() throws {
    let url = try XCTUnwrap(directory).url
    do {
      let store = try open()
      try store.put(numberedRecords(0..<10))
    }
    let before = try DirectoryImage(url)
    for _ in 0..<3 {
      let store = try open()
      XCTAssertEqual(try store.search(for: axisVector(0)).count, 10)
      try store.close()
    }
    XCTAssertEqual(try DirectoryImage(url), before)
  }

  func testPutTime() throws {
    let store = try open(.manual)
    let records = numberedRecords(0..<200)
    measure {
      XCTAssertEqual((try? store.put(records))?.putCount, 200)
    }
    XCTAssertEqual(try store.count(), 200)
  }

  func testSearchTime() throws {
    let store = try open(.manual)
    try store.put(numberedRecords(0..<2_000))
    try store.compact()
    measure {
      XCTAssertEqual(try? store.search(for: axisVector(0), count: 10).count, 10)
    }
  }
}
