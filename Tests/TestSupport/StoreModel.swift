package import EmbeddingStores

/// What a store should hold, as a dictionary, and what a search of it should find, in Float64.
///
/// Shares no code with the store: keys are compared as arrays of bytes.
package struct StoreModel: Sendable {
  package struct Identity: Hashable, Comparable, Sendable {
    package let key: [UInt8]
    package let part: UInt16

    package init(_ key: String, _ part: UInt16) {
      self.key = Array(key.utf8)
      self.part = part
    }

    package static func < (first: Identity, second: Identity) -> Bool {
      if first.key == second.key { return first.part < second.part }
      return first.key.lexicographicallyPrecedes(second.key)
    }
  }

  package struct Scored: Sendable {
    package let identity: Identity
    package let score: Double

    package init(identity: Identity, score: Double) {
      self.identity = identity
      self.score = score
    }
  }

  package private(set) var records: [Identity: Record] = [:]

  package init() {}

  package var count: Int { records.count }

  package var keys: Set<[UInt8]> { Set(records.keys.map(\.key)) }

  package subscript(key: String, part: UInt16) -> Record? {
    records[Identity(key, part)]
  }

  /// All records by the bytes of their key, each list by part.
  package func recordsByKey() -> [[UInt8]: [Record]] {
    Dictionary(grouping: records.values) { Array($0.key.utf8) }
      .mapValues { $0.sorted { $0.part < $1.part } }
  }

  package mutating func put(_ record: Record) {
    records[Identity(record.key, record.part)] = record
  }

  /// Applies an update; false when there is no such record.
  package mutating func update(_ update: RecordUpdate) -> Bool {
    let identity = Identity(update.key, update.part)
    guard var record = records[identity] else { return false }
    Self.apply(update.timestamp, to: &record.timestamp)
    Self.apply(update.metadata, to: &record.metadata)
    Self.apply(update.text, to: &record.text)
    var labels: Set<String>? = record.labels
    Self.apply(update.labels, to: &labels)
    record.labels = labels ?? []
    records[identity] = record
    return true
  }

  /// Removes all parts of a key; answers how many there were.
  @discardableResult
  package mutating func remove(_ key: String) -> Int {
    let bytes = Array(key.utf8)
    let gone = records.keys.filter { $0.key == bytes }
    for identity in gone { records[identity] = nil }
    return gone.count
  }

  @discardableResult
  package mutating func remove(_ key: String, part: UInt16) -> Bool {
    records.removeValue(forKey: Identity(key, part)) != nil
  }

  package mutating func removeAll() {
    records = [:]
  }

  private static func apply<Value>(_ field: RecordUpdate.Field<Value>, to value: inout Value?) {
    switch field {
    case .unchanged: break
    case .set(let new): value = new
    case .removed: value = nil
    }
  }
}

// MARK: - Brute force

extension StoreModel {
  /// Every record that `isIncluded` lets through with its inner product, best first, ties by key
  /// bytes and part.
  package func ranking(
    for query: [Float], where isIncluded: (Record) -> Bool = { _ in true }
  ) -> [Scored] {
    records.compactMap { identity, record in
      guard isIncluded(record) else { return nil }
      return Scored(identity: identity, score: Self.dot(query, record.vector))
    }
    .sorted { $0.score != $1.score ? $0.score > $1.score : $0.identity < $1.identity }
  }

  /// The best entry of each key, in the same order.
  package static func bestPerKey(_ ranking: [Scored]) -> [Scored] {
    var seen: Set<[UInt8]> = []
    return ranking.filter { seen.insert($0.identity.key).inserted }
  }

  package static func dot(_ first: [Float], _ second: [Float]) -> Double {
    zip(first, second).reduce(0) { $0 + Double($1.0) * Double($1.1) }
  }

  package static func cosine(_ first: [Float], _ second: [Float]) -> Double {
    dot(first, second) / (dot(first, first) * dot(second, second)).squareRoot()
  }
}
