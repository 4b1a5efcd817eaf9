public import EmbeddingStores

extension IndexingPlan {
  /// Compares a source with a snapshot of a store.
  ///
  /// - Parameters:
  ///   - source: Its pages are read once, its contents not at all.
  ///   - reader: The store, or a snapshot of it.
  ///   - space: The space of the encoder to be used.
  ///   - ledger: The failures of earlier runs, if there were any.
  ///   - retriesUnavailable: Whether items that were not available are tried again.
  ///   - share: The largest share of the stored keys that may be removed, as in
  ///     `EmbeddingStore.reconcile`.
  /// - Throws: What reading the store throws, and `.cancelled`. An error of the source is part of
  ///   the plan.
  /// - Complexity: One look-up for each item; a bit of memory for each row.
  public init(
    comparing source: some ItemSource, with reader: some EmbeddingReader, in space: EmbeddingSpace,
    ledger: FailureLedger? = nil, retriesUnavailable: Bool = false,
    removingAtMost share: Double = 0.2
  ) async throws(StoreError) {
    guard (0...1).contains(share) else {
      throw StoreError(.invalidArgument, "A share lies within 0...1; this one is \(share).")
    }
    let snapshot = try reader.snapshot()
    self.init(space: space, store: snapshot.storeIdentifier)
    var planner = Planner(
      snapshot: snapshot, space: space, ledger: ledger, failed: try ledger?.keys() ?? [],
      retriesUnavailable: retriesUnavailable)
    var pages = PageReader(source)
    do throws(StoreError) {
      while let page = try await pages.next() {
        for item in page { try planner.consider(item, in: &self) }
      }
    } catch  where error.code == .sourceFailed {
      sourceError = error
      return
    }
    try planner.finish(&self, removingAtMost: share)
  }
}

/// Sorts items into a plan, one after the other.
private struct Planner {
  private var stored: SourceComparison
  private let space: EmbeddingSpace
  private let isOfOtherSpace: Bool
  private let ledger: FailureLedger?
  private let retriesUnavailable: Bool
  /// Keys that the store does not have, to recognise duplicates.
  private var unknown: Set<ItemKey> = []
  /// Items of the ledger that were not met.
  private var failed: Set<ItemKey>

  init(
    snapshot: Snapshot, space: EmbeddingSpace, ledger: FailureLedger?, failed: [String],
    retriesUnavailable: Bool
  ) {
    stored = SourceComparison(snapshot)
    self.space = space
    isOfOtherSpace = snapshot.space != space
    self.ledger = ledger
    self.failed = Set(failed.map(ItemKey.init))
    self.retriesUnavailable = retriesUnavailable
  }

  mutating func consider(
    _ item: SourceItem, in plan: inout IndexingPlan
  ) throws(StoreError) {
    let key = item.key
    guard (1...65_535).contains(key.utf8.count) else {
      plan.invalidKeys.append(String(key.prefix(64)))
      return
    }
    let hasFailed = !failed.isEmpty && failed.remove(ItemKey(key)) != nil
    switch try stored.meet(key) {
    case .metBefore:
      plan.duplicateCount += 1
    case .no:
      guard unknown.insert(ItemKey(key)).inserted else {
        plan.duplicateCount += 1
        return
      }
      try add(item, to: \.new, of: &plan, unlessFailed: hasFailed)
    case .yes(let revision):
      if isOfOtherSpace {
        try add(item, to: \.movedToAnotherSpace, of: &plan, unlessFailed: hasFailed)
      } else if item.revision == nil || item.revision == revision {
        plan.unchangedCount += 1
        if hasFailed { plan.settledFailures.append(key) }
      } else {
        try add(item, to: \.changed, of: &plan, unlessFailed: hasFailed)
      }
    }
  }

  private func add(
    _ item: SourceItem, to list: WritableKeyPath<IndexingPlan, [String]>,
    of plan: inout IndexingPlan, unlessFailed hasFailed: Bool
  ) throws(StoreError) {
    guard hasFailed, let failure = try ledger?.failure(for: item.key),
      failure.isAbout(item.revision, in: space)
    else {
      plan[keyPath: list].append(item.key)
      return
    }
    switch failure.kind {
    case .broken: plan.broken.append(item.key)
    case .unavailable where retriesUnavailable: plan.retried.append(item.key)
    case .unavailable: plan.deferred.append(item.key)
    }
  }

  func finish(
    _ plan: inout IndexingPlan, removingAtMost share: Double
  ) throws(StoreError) {
    plan.gone = try stored.unmetKeys()
    plan.goneFailures = failed.map(\.string)
    let storedCount = stored.metKeyCount + plan.gone.count
    if Double(plan.gone.count) > share * Double(storedCount) {
      plan.removalError = StoreError(
        .tooManyRemovals,
        "\(plan.gone.count) of \(storedCount) stored keys are not in the source, more than the "
          + "share of \(share) that may be removed. Check that the source lists everything.")
    }
  }
}
