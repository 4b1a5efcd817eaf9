import EmbeddingIndexing

/// What became of a folder, for `--json`.
struct FolderIndexReport: Encodable {
  struct Outcome {
    var plan: IndexingPlan
    var progress: IndexingProgress
    var seconds: Double
    var failures: [IndexingFailure]
  }

  struct FailedItem: Encodable {
    var key: String
    var kind: String
    var reason: String
    var attempts: Int
  }

  let machine = Machine()
  let isDebugBuild = BuildKind.isDebug
  let new: Int
  let changed: Int
  let gone: Int
  let unchanged: Int
  let outcome: String
  let indexed: Int
  let removed: Int
  let seconds: Double
  let rows: Int
  let failures: [FailedItem]
  var answers: [TextAnswer] = []

  init(_ outcome: Outcome, storedCount: Int) {
    new = outcome.plan.new.count
    changed = outcome.plan.changed.count
    gone = outcome.plan.gone.count
    unchanged = outcome.plan.unchangedCount
    self.outcome = outcome.progress.words
    indexed = outcome.progress.completed
    removed = outcome.progress.removed
    seconds = outcome.seconds
    rows = storedCount
    failures = outcome.failures.map {
      FailedItem(key: $0.key, kind: $0.kind.rawValue, reason: $0.reason, attempts: $0.attemptCount)
    }
  }
}
