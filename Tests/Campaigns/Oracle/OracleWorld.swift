internal import EmbeddingStores
internal import EmbeddingTestSupport

/// What all calls of one history have in common: a space, and what keys and vectors are like.
struct OracleWorld: Sendable {
  /// Where components come from.
  enum Components: CaseIterable, Sendable {
    /// Very few values, so that many scores are tied.
    case few
    case integers
    case fractions
  }

  let space: EmbeddingSpace
  let components: Components
  let keyCount: Int
  let journalByteCount: Int
  let isHeap: Bool
  /// The number of calls.
  let length: Int

  init(length: Int, using generator: inout SeededGenerator) {
    space = EmbeddingSpace(
      model: "oracle", dimension: Int.random(in: 1...40, using: &generator),
      normalization: Bool.random(using: &generator) ? .unitLength : .none)
    components = Components.allCases.randomElement(using: &generator) ?? .few
    keyCount = [4, 12, 40, 70].randomElement(using: &generator) ?? 4
    journalByteCount = [.max, 10_000, 40_000].randomElement(using: &generator) ?? .max
    isHeap = Bool.random(using: &generator)
    self.length = length
  }

  /// Whether products and sums of all components are exact in any order.
  var isExact: Bool { space.normalization == .none && components != .fractions }

  var configuration: StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.compaction = .manual
    if journalByteCount < .max {
      configuration.compaction = CompactionPolicy(journalByteCount: journalByteCount)
    }
    configuration.searchThreadCount = 1
    configuration.mainFileAccess = isHeap ? .heap : .mapped
    return configuration
  }

  func vector(using generator: inout SeededGenerator) -> [Float] {
    switch components {
    case .few:
      var vector = (0..<space.dimension).map { _ in
        Float(Int.random(in: -1...1, using: &generator))
      }
      if vector.allSatisfy({ $0 == 0 }) { vector[0] = 1 }
      return vector
    case .integers: return RandomVectors.integers(dimension: space.dimension, using: &generator)
    case .fractions: return RandomVectors.vector(dimension: space.dimension, using: &generator)
    }
  }

  func key(_ number: Int) -> String {
    switch number {
    case 0: "caf\u{e9}"
    case 1: "cafe\u{301}"
    case 2: "\u{0}"
    case 3: String(repeating: "long", count: 60)
    default: "key \(number)"
    }
  }

  func key(using generator: inout SeededGenerator) -> String {
    key(Int.random(in: 0..<keyCount, using: &generator))
  }
}
