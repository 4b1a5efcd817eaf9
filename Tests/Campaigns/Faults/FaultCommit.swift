internal import EmbeddingStores
internal import EmbeddingTestSupport
internal import Foundation

/// A commit as the store makes it, and as the model does.
struct FaultCommit {
  let make: (EmbeddingStore) throws(StoreError) -> Void
  let apply: (inout StoreModel) -> Void

  static func put(_ records: [Record]) -> FaultCommit {
    FaultCommit { (store) throws(StoreError) in
      try store.put(records)
    } apply: { model in
      for record in records { model.put(record) }
    }
  }
}

extension FaultRun {
  /// The commit that a step asks for; nil when there is nothing that it could change.
  mutating func makeCommit(_ step: FaultScript.Step) -> FaultCommit? {
    let victim = model.records.values.min { ($0.key, $0.part) < ($1.key, $1.part) }
    switch step {
    case .put(let count): return .put((0..<count).map { _ in record("key \(recordCount % 7)") })
    case .putLarge:
      var large = record("large")
      large.metadata = Data((0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) })
      return .put([large])
    case .insert(let count):
      let records = (0..<count).map { _ in record("new \(recordCount)") }
      let apply = FaultCommit.put(records).apply
      return FaultCommit(
        make: { (store) throws(StoreError) in try store.insert(records) }, apply: apply)
    case .update:
      guard let victim else { return nil }
      let update = RecordUpdate(
        key: victim.key, part: victim.part, labels: .set(["label \(recordCount)"]),
        metadata: .removed, text: .set("new"))
      recordCount += 1
      return FaultCommit { (store) throws(StoreError) in
        try store.update([update])
      } apply: {
        _ = $0.update(update)
      }
    case .remove:
      guard let victim else { return nil }
      return FaultCommit { (store) throws(StoreError) in
        try store.remove([victim.key])
      } apply: {
        $0.remove(victim.key)
      }
    case .removePart:
      guard let victim else { return nil }
      return FaultCommit { (store) throws(StoreError) in
        try store.remove(victim.key, part: victim.part)
      } apply: {
        $0.remove(victim.key, part: victim.part)
      }
    case .removeAll:
      guard model.count > 0 else { return nil }
      return FaultCommit { (store) throws(StoreError) in
        try store.removeAll()
      } apply: {
        $0.removeAll()
      }
    case .reconcile:
      guard let victim else { return nil }
      let kept = model.keys.subtracting([Array(victim.key.utf8)])
        .map { String(decoding: $0, as: UTF8.self) }
      return FaultCommit { (store) throws(StoreError) in
        try store.reconcile(with: kept, removingAtMost: 1)
      } apply: {
        $0.remove(victim.key)
      }
    default: return nil
    }
  }

  private mutating func record(_ key: String) -> Record {
    recordCount += 1
    let milliseconds = Int.random(in: 0...1 << 40, using: &generator)
    return Record(
      key: key, vector: RandomVectors.integers(dimension: Self.space.dimension, using: &generator),
      part: recordCount % 3 == 0 ? 1 : 0,
      timestamp: Date(timeIntervalSince1970: Double(milliseconds / 1000)),
      labels: ["label \(recordCount % 2)"],
      metadata: Data([UInt8(truncatingIfNeeded: recordCount)]),
      text: recordCount % 2 == 0 ? "text \(recordCount)" : nil,
      revision: recordCount % 4 == 0 ? nil : Revision("\(recordCount)"))
  }
}
