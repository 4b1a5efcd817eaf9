import EmbeddingIndexing

extension IndexingPlan {
  /// What is to be done, in words.
  var words: String {
    var words =
      "\(new.count) new, \(changed.count) changed, \(gone.count) gone, \(unchangedCount) unchanged; "
      + "failed before: \(deferred.count) not available, \(broken.count) broken"
    if duplicateCount > 0 { words += "; \(duplicateCount) listed twice" }
    if !invalidKeys.isEmpty { words += "; \(invalidKeys.count) with a key that no store takes" }
    return words
  }
}

extension IndexingProgress {
  /// How the run ended, in words.
  var words: String {
    let reason =
      switch end {
      case .finished: "Finished"
      case .cancelled: "Cancelled"
      case .timeBudgetSpent: "Out of time"
      case .throttled: "Stopped by the throttle"
      case .tooLittleWork: "Too little work"
      case .failed(let error): "Failed (\(error))"
      case nil: "Not ended"
      }
    return "\(reason): \(completed) indexed, \(deferred) not available, \(failed) broken, "
      + "\(removed) removed"
  }
}
