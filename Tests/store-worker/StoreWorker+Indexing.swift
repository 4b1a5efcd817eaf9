import EmbeddingIndexing
import EmbeddingStores
import EmbeddingTestSupport
import Foundation

/// Processes that are killed while they index. Each says what it does as it begins with it, and at
/// last "finished".
extension StoreWorker {
  static func carryOut(_ job: IndexingJob) -> Never {
    Task {
      do {
        switch job.command {
        case "index": try await index(job)
        case "migrate": try await migrate(job)
        default: try switchBack(job)
        }
        say("finished")
        exit(0)
      } catch {
        say("failed: \(error)")
        exit(5)
      }
    }
    dispatchMain()
  }

  /// Brings a store in line with the source.
  private static func index(_ job: IndexingJob) async throws {
    say("opening")
    let store = try EmbeddingStore(
      at: job.directory, space: job.encoder.space, configuration: job.configuration)
    try await run(
      Indexer(
        store: store, source: job.source, encoder: job.encoder, options: job.options,
        throttle: NoThrottle()))
    try store.close()
  }

  /// Moves a store to the encoder's space, from wherever the process before was killed, and discards
  /// the old one.
  private static func migrate(_ job: IndexingJob) async throws {
    say("opening")
    let space = try EmbeddingStore(readingAt: job.directory).space
    let store = try EmbeddingStore(
      at: job.directory, space: space, configuration: job.configuration)
    let moved = space == job.encoder.space ? store : try await move(store, job)
    say("discarding")
    try SpaceMigration.discardStoreBeside(job.directory)
    say("discarded")
    try moved.close()
  }

  private static func move(_ store: EmbeddingStore, _ job: IndexingJob) async throws
    -> EmbeddingStore
  {
    let migration = try SpaceMigration(of: store, to: job.encoder.space)
    try await run(
      migration.indexer(
        source: job.source, encoder: EncoderLoader(job.encoder), options: job.options,
        throttle: NoThrottle()))
    say("switching")
    let moved = try migration.switchOver()
    say("switched")
    return moved
  }

  /// Puts the store from before the last switch back, if that was not done yet.
  private static func switchBack(_ job: IndexingJob) throws {
    say("opening")
    let space = try EmbeddingStore(readingAt: job.directory).space
    guard space == job.encoder.space else { return }
    let store = try EmbeddingStore(at: job.directory, space: space)
    say("switching")
    let back = try SpaceMigration.switchBack(store)
    say("switched")
    try back.close()
  }

  private static func run(
    _ indexer: Indexer<ScriptedSource, NotingEncoder>
  ) async throws {
    say("planning")
    let progress = try await indexer.run { progress in
      say("processed \(progress.processed) \(progress.total)")
    }
    if let error = progress.removalError { throw error }
    guard progress.end == .finished else { throw EndedEarly(end: progress.end) }
  }
}

private struct EndedEarly: Error {
  var end: IndexingProgress.End?
}
