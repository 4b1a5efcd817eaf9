internal import EmbeddingStores

/// The store whose records a new store, of another space, takes the details of.
struct CarriedStore: Sendable {
  /// The old store.
  let store: EmbeddingStore
  /// Keys of the new store that the old one did not have when they were embedded. What the old store
  /// lacks at the end and is not here was removed from it meanwhile.
  let arrivals: EmbeddingStore

  /// Opens the list of arrivals of `next`, which is built beside `store`.
  init(_ store: EmbeddingStore, next: EmbeddingStore) throws(StoreError) {
    self.store = store
    arrivals = try next.companion(named: Self.arrivalsName, space: Self.space)
  }

  func recordsByPart(of key: String) throws(StoreError) -> [UInt16: Record] {
    let records = try store.records(for: key)
    return Dictionary(records.map { ($0.part, $0) }, uniquingKeysWith: { first, _ in first })
  }

  func note(_ keys: [String]) throws(StoreError) {
    if keys.isEmpty { return }
    try arrivals.put(keys.map { Record(key: $0, vector: [0]) })
  }

  static let arrivalsName = "arrivals"

  private static let space = EmbeddingSpace(
    model: "arrivals", revision: "1", dimension: 1, normalization: .none)
}
