internal import EmbeddingStores
internal import Foundation

/// What becomes of an encoded batch: one commit of what can be stored, and the others in the ledger.
extension IndexingRun {
  func store(_ encoded: [EncodedItem]) throws(RunEnded) {
    var records: [Record] = []
    var stored: [String] = []
    var failures: [IndexingFailure] = []
    do throws(StoreError) {
      for item in encoded {
        switch try self.records(item) {
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
    _ encoded: EncodedItem
  ) throws(StoreError) -> Result<[Record], ItemFailure> {
    let vectors: [[Float]]
    switch encoded.vectors {
    case .success(let success): vectors = success
    case .failure(let failure): return .failure(failure)
    }
    let item = encoded.item
    let known = try indexer.carriedFrom.records(for: item.key)
    let isCarried = indexer.carriesOver && known.first?.isOfContent(item.revision) == true
    // What another store knows of the same content goes before what the source says.
    let given = isCarried ? SourceItem(key: item.key) : item
    var records: [Record] = []
    for (index, vector) in vectors.enumerated() {
      let part = UInt16(truncatingIfNeeded: index)
      let carried = known.first { $0.part == part } ?? known.first
      let record = Record(
        key: item.key, vector: vector, part: part,
        timestamp: given.timestamp ?? carried?.timestamp,
        labels: given.labels ?? carried?.labels ?? [],
        metadata: given.metadata ?? carried?.metadata, text: given.text ?? carried?.text,
        revision: item.revision)
      if let defect = indexer.store.defect(of: record) { return .failure(ItemFailure(defect)) }
      records.append(record)
    }
    return .success(records)
  }

  private func failure(_ item: SourceItem, _ failure: ItemFailure) -> IndexingFailure {
    IndexingFailure(
      key: item.key, kind: failure.kind, reason: failure.reason, lastAttempt: Date(),
      revision: item.revision, space: indexer.store.space)
  }
}
