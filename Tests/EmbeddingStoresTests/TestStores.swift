import EmbeddingFiles
import EmbeddingStores
import EmbeddingTestSupport
import Foundation

extension EmbeddingSpace {
  /// Eight dimensions, cosine.
  static let small = EmbeddingSpace(model: "test", dimension: 8)
  /// Eight dimensions, inner product: exact for vectors of small whole numbers.
  static let exact = EmbeddingSpace(model: "test", dimension: 8, normalization: .none)
}

extension StoreConfiguration {
  /// The defaults without compactions that a test did not ask for.
  static var manual: StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.compaction = .manual
    return configuration
  }
}

extension EmbeddingStore {
  /// Opens or creates a store at `/store` of a file system.
  static func open(
    on fileSystem: any FileSystem, space: EmbeddingSpace = .small,
    configuration: StoreConfiguration = .manual
  ) throws -> EmbeddingStore {
    try EmbeddingStore(
      fileSystem, path: "/store", space: space, isReadOnly: false, configuration)
  }
}

/// A vector of eight components with one of them large: number n is closest to numbers n + 8i.
func axisVector(_ number: Int) -> [Float] {
  var vector = [Float](repeating: 0.1, count: 8)
  vector[number % 8] = 1
  return vector
}

/// Records with the keys `k0`, `k1` and so on, each with a vector of its own.
func numberedRecords(_ numbers: Range<Int>, labels: Set<String> = []) -> [Record] {
  numbers.map {
    Record(key: "k\($0)", vector: RandomVectors.vector(number: $0, dimension: 8), labels: labels)
  }
}
