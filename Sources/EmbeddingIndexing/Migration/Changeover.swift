internal import EmbeddingStores

/// Gives the new store of a migration what was changed and removed in the old one meanwhile.
struct Changeover {
  private let old: Snapshot
  private let next: EmbeddingStore
  private let carried: CarriedStore

  init(from old: Snapshot, to next: EmbeddingStore, _ carried: CarriedStore) {
    self.old = old
    self.next = next
    self.carried = carried
  }

  /// Carries what changed in the old store after a change number, and everything that was removed.
  func carry(changedSince changeNumber: UInt64) throws(StoreError) {
    try carryRemovals()
    var updates: [RecordUpdate] = []
    for row in try old.rows(changedSince: changeNumber) {
      updates += try changes(of: row.key)
      guard updates.count >= 1_000 else { continue }
      try next.update(updates)
      updates = []
    }
    try next.update(updates)
  }

  /// Removes what the old store had when it was embedded anew, and has no more.
  private func carryRemovals() throws(StoreError) {
    let absent = try old.missing(from: try next.keys())
    try next.remove(try carried.arrivals.missing(from: absent))
  }

  /// What the records of a key in the new store have other details of than the old ones: of the same
  /// part, or else of the first.
  private func changes(of key: String) throws(StoreError) -> [RecordUpdate] {
    let olds = try old.records(for: key)
    guard let first = olds.first else { return [] }
    let byPart = Dictionary(olds.map { ($0.part, $0) }, uniquingKeysWith: { first, _ in first })
    var updates: [RecordUpdate] = []
    for new in try next.records(for: key) {
      let record = byPart[new.part] ?? first
      guard record.isOfContent(new.revision), !record.hasDetails(of: new) else { continue }
      updates.append(RecordUpdate(of: new, carrying: record))
    }
    return updates
  }
}

extension Record {
  fileprivate func hasDetails(of other: Record) -> Bool {
    timestamp == other.timestamp && labels == other.labels && metadata == other.metadata
      && text == other.text
  }
}

extension RecordUpdate {
  fileprivate init(of new: Record, carrying old: Record) {
    self.init(
      key: new.key, part: new.part, timestamp: old.timestamp.map { .set($0) } ?? .removed,
      labels: .set(old.labels), metadata: old.metadata.map { .set($0) } ?? .removed,
      text: old.text.map { .set($0) } ?? .removed)
  }
}
