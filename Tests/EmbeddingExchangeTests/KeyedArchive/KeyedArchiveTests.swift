import EmbeddingExchange
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Dictionaries that Foundation archived.
@Suite struct KeyedArchiveTests {
  private let directory: TemporaryDirectory
  private let url: URL
  private let store: EmbeddingStore

  init() throws {
    directory = try TemporaryDirectory()
    url = directory.url.appending(path: "embeddingData")
    store = try EmbeddingStore(inMemory: EmbeddingSpace(model: "test", dimension: 3))
  }

  private func write(_ object: Any) throws {
    try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
      .write(to: url)
  }

  @Test func listsAndDataAreTaken() throws {
    let bytes = [Float(0), 2, 0].flatMap { component in
      withUnsafeBytes(of: component.bitPattern.littleEndian) { Array($0) }
    }
    try write(
      [
        "list": [1, 0, 0] as NSArray, "data": Data(bytes) as NSData, "zero": [0, 0, 0] as NSArray,
        "short": [1, 2] as NSArray,
      ] as NSDictionary)
    let before = try Data(contentsOf: url)
    let report = try store.importKeyedArchive(url)
    #expect(try Data(contentsOf: url) == before)
    #expect(report.importedCount == 2 && report.leftovers.map(\.key) == ["short", "zero"])
    #expect(try store.vector(for: "list") == [1, 0, 0])
    #expect(try store.vector(for: "data") == [0, 1, 0])
  }

  @Test func valuesThatAreNoVectorsAreLeft() throws {
    try write(
      [
        "good": [0, 0, 1] as NSArray, "text": "text" as NSString, "odd": Data([1, 2, 3]) as NSData,
        "strings": ["b", "b", "b"] as NSArray, "nested": ["a": [1] as NSArray] as NSDictionary,
        "url": NSURL(fileURLWithPath: "/tmp"), "long": Array(repeating: 1, count: 5_000) as NSArray,
      ] as NSDictionary)
    let report = try store.importKeyedArchive(url)
    #expect(try store.keys() == ["good"])
    #expect(report.leftovers.map(\.key) == ["long", "nested", "odd", "strings", "text", "url"])
    for leftover in report.leftovers {
      guard case .refused(let error) = leftover.reason else {
        Issue.record("\(leftover)")
        continue
      }
      #expect(error.code == .malformedFile)
    }
  }

  @Test func whatIsNoDictionaryIsRefused() throws {
    for root in [
      ["a", "b"] as NSArray, "text" as NSString, [1: [1, 2, 3] as NSArray] as NSDictionary,
      NSURL(fileURLWithPath: "/tmp"),
    ] as [Any] {
      try write(root)
      expectError(.malformedFile, naming: "embeddingData") { try store.importKeyedArchive(url) }
    }
    for bytes in [Data(), Data("text".utf8), Data("bplist00".utf8), Data(count: 100)] {
      try bytes.write(to: url)
      expectError(.malformedFile) { try store.importKeyedArchive(url) }
    }
    let list = try PropertyListSerialization.data(
      fromPropertyList: ["$archiver": "NSKeyedArchiver"], format: .binary, options: 0)
    try list.write(to: url)
    expectError(.malformedFile) { try store.importKeyedArchive(url) }
    expectError(.notFound) {
      try store.importKeyedArchive(directory.url.appending(path: "none"))
    }
    #expect(try store.count() == 0)
  }

  // Nobody can tell which of the two is meant.
  @Test func aKeyThatIsThereTwiceIsRefused() throws {
    try write(["key-a": [1, 0, 0] as NSArray, "key-b": [0, 1, 0] as NSArray] as NSDictionary)
    var bytes = try Data(contentsOf: url)
    let place = try #require(bytes.range(of: Data("key-b".utf8)))
    bytes.replaceSubrange(place, with: Data("key-a".utf8))
    try bytes.write(to: url)
    expectError(.malformedFile, naming: "twice") { try store.importKeyedArchive(url) }
    #expect(try store.count() == 0)
  }

  @Test func noFlippedBitInAByteAndNoLengthTraps() throws {
    try write(
      [
        "a": [1, 0.5, 0] as NSArray, "é": [0, 1, 300] as NSArray,
        "data": Data([0, 0, 128, 63, 0, 0, 0, 0, 0, 0, 0, 0]) as NSData,
      ] as NSDictionary)
    let whole = try Data(contentsOf: url)
    #expect(try store.importKeyedArchive(url).importedCount == 3)
    var outcomes: [String: Int] = [:]
    for number in 0..<2 * whole.count {
      var bytes = whole
      if number < whole.count {
        // The fuzzer flips the others.
        bytes[number] ^= 1 << (number % 8)
      } else {
        bytes = whole.prefix(number - whole.count)
      }
      try bytes.write(to: url)
      do throws(StoreError) {
        outcomes["\(try store.importKeyedArchive(url).importedCount)", default: 0] += 1
      } catch {
        outcomes[error.code.rawValue, default: 0] += 1
      }
    }
    #expect(Set(outcomes.keys).isSubset(of: ["0", "1", "2", "3", "malformedFile"]))
  }
}
