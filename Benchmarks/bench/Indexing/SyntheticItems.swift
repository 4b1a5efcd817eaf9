import EmbeddingIndexing
import EmbeddingStores
import Foundation
import Synchronization

/// Items that are nowhere: each is made from its number when it is asked for.
struct SyntheticItems: ItemSource {
  let count: Int
  /// Contents that were loaded.
  let loadedCount = Counter()

  func pages() -> AsyncThrowingStream<[SourceItem], any Error> {
    let next = Counter()
    return AsyncThrowingStream {
      let first = next.add(500)
      guard first < count else { return nil }
      return (first..<min(count, first + 500)).map(Self.item)
    }
  }

  func inputs(of item: SourceItem) async throws -> [Int] {
    loadedCount.add(1)
    guard let number = Int(item.key.dropFirst(5)) else {
      throw ItemUnavailable("No item is called \"\(item.key)\".")
    }
    return [number]
  }

  static func key(_ number: Int) -> String { "item-\(number)" }

  private static func item(_ number: Int) -> SourceItem {
    SourceItem(
      key: key(number), revision: Revision(rawValue: UInt64(number) + 1),
      timestamp: Date(timeIntervalSince1970: 1.6e9 + 60 * Double(number)))
  }
}

/// Turns an item's number into a vector without structure, at little cost.
struct SyntheticEncoder: EmbeddingEncoder {
  let space: EmbeddingSpace
  /// Inputs that it was asked to encode.
  let encodedCount = Counter()

  init(dimension: Int) {
    space = EmbeddingSpace(model: "synthetic", revision: "1", dimension: dimension)
  }

  func encode(_ inputs: [Int]) async throws -> [[Float]] {
    encodedCount.add(inputs.count)
    return inputs.map(vector)
  }

  func vector(_ number: Int) -> [Float] {
    var random = RandomNumbers(seed: UInt64(number))
    return (0..<space.dimension).map { _ in random.normal() }
  }
}

/// A number that several threads count on.
final class Counter: Sendable {
  private let value = Atomic(0)

  var count: Int { value.load(ordering: .relaxed) }

  /// Adds and returns what was there before.
  @discardableResult
  func add(_ number: Int) -> Int {
    value.add(number, ordering: .relaxed).oldValue
  }
}
