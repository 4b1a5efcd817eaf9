internal import EmbeddingFiles
internal import EmbeddingKernels

/// When codes do not pay.
extension CascadeWorker {
  /// Scores what is left when hardly any row can be skipped, and scans the rest.
  func giveUpIfUseless() throws(StorageError) {
    guard isFull || rejectsNearlyAll, !isTrusted, !excludes() else { return }
    work.gaveUp = true
    cascade.pays.clear()
    try score(survivors, inOrder: true)
    survivors.removeAll()
  }

  /// Whether a fair share of the rows read so far will not be looked at again.
  private func excludes() -> Bool {
    // By all threads together, as far as this one can tell.
    let share = min(Double(scannedRowCount * threadCount) / Double(main.rowCount), 1)
    // A quarter of the rows will do to tell.
    isTrusted = isFull && share >= 0.25
    var expected = limit
    if isFull {
      // As many rows as will be in the result are so good: the threshold ends up near the worst.
      let place = min(Int((Double(plan.capacity) * share).rounded(.up)), plan.capacity)
      expected = plan.unclamped(cascade.scan.found.score(at: max(place, 1) - 1))
    }
    // When a larger share survives, the stages cost as much as they save.
    return Double(survivors.count(atLeast: expected))
      <= 0.95 * Double(scannedRowCount - visitedRowCount)
  }

  /// Whether a closure rejects so many rows that the worst of a full result will be too far down the
  /// ranking, as when as many matches are asked for.
  private var rejectsNearlyAll: Bool {
    guard plan.predicate != nil, !isFull, hasSampled else { return false }
    let (count, rank) = (cascade.scan.found.count, main.rowCount / Cascade.rowsPerMatch)
    return count * rank < plan.capacity * fillingRowCount * threadCount
  }

  /// Whether enough rows were looked at to tell how many a closure rejects: by all threads together,
  /// as far as this one can tell.
  var hasSampled: Bool { fillingRowCount * threadCount >= main.rowCount / 100 }
}
