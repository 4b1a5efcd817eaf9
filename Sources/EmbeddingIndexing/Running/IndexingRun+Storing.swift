internal import EmbeddingStores
internal import Foundation

/// What becomes of an encoded batch: one commit of what can be stored, and the others in the ledger.
extension IndexingRun {
  func store(_ encoded: [EncodedItem]) throws(RunEnded) {
    var records: [PartialRecord] = []
    var stored: [String] = []
    var failures: [IndexingFailure] = []
    var arrivals: [String] = []
    do throws(StoreError) {
      for item in encoded {
        switch try self.records(item, noting: &arrivals) {
        case .success(let ofItem):
          records += ofItem
          stored.append(item.item.key)
        case .failure(let error):
          failures.append(failure(item.item, error))
        }
      }
      // Old failures go before the records come, new ones are noted after them: what is killed in
      // between is tried again, and the ledger never names what is stored.
      try indexer.failures.forget(stored)
      // An arrival too many does no harm.
      try indexer.carriedFrom?.note(arrivals)
      try indexer.store.replace(records)
      try indexer.failures.note(failures)
    } catch {
      throw .failed(error)
    }
    progress.completed += stored.count
    for failure in failures {
      switch failure.kind {
      case .unavailable: progress.deferred += 1
      case .broken: progress.failed += 1
      }
    }
  }

  /// The records of an item, one for each of its vectors, all of which the store will take.
  private func records(
    _ encoded: EncodedItem, noting arrivals: inout [String]
  ) throws(StoreError) -> Result<[PartialRecord], ItemFailure> {
    let vectors: [[Float]]
    switch encoded.vectors {
    case .success(let success): vectors = success
    case .failure(let failure): return .failure(failure)
    }
    let item = encoded.item
    let carried = try indexer.carriedFrom?.recordsByPart(of: item.key) ?? [:]
    let first = carried.min { $0.key < $1.key }?.value
    if first == nil { arrivals.append(item.key) }
    var records: [PartialRecord] = []
    for (index, vector) in vectors.enumerated() {
      let part = UInt16(truncatingIfNeeded: index)
      let details = SourceItem(item, carrying: carried[part] ?? first)
      let record = Record(
        key: item.key, vector: vector, part: part, timestamp: details.timestamp,
        labels: details.labels ?? [], metadata: details.metadata, text: details.text,
        revision: item.revision)
      if let defect = indexer.store.defect(of: record) { return .failure(ItemFailure(defect)) }
      records.append(
        PartialRecord(
          record, keepsTimestamp: details.timestamp == nil, keepsLabels: details.labels == nil,
          keepsMetadata: details.metadata == nil, keepsText: details.text == nil))
    }
    return .success(records)
  }

  private func failure(_ item: SourceItem, _ failure: ItemFailure) -> IndexingFailure {
    IndexingFailure(
      key: item.key, kind: failure.kind, reason: failure.reason, lastAttempt: Date(),
      revision: item.revision, space: indexer.store.space)
  }
}

extension SourceItem {
  /// An item with the details that another store has of it: of the same content they go before what
  /// the source says, of other content they fill in what it does not say.
  fileprivate init(_ item: SourceItem, carrying record: Record?) {
    self = item
    guard let record else { return }
    let isSameContent = record.isOfContent(item.revision)
    if isSameContent || timestamp == nil { timestamp = record.timestamp }
    if isSameContent || labels == nil { labels = record.labels }
    if isSameContent || metadata == nil { metadata = record.metadata }
    if isSameContent || text == nil { text = record.text }
  }
}

extension Record {
  /// Whether it was made from a revision, as far as is known.
  func isOfContent(_ revision: Revision?) -> Bool {
    self.revision == nil || self.revision == revision
  }
}
