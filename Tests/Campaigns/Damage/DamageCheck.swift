import EmbeddingFiles
import EmbeddingStores
import EmbeddingTestSupport

/// What became of a damaged store: noticed, or complete and right, or wrong.
enum DamageOutcome: Equatable {
  /// An error with a code that tells of damage, or a problem in a verification.
  case noticed
  /// Nothing was noticed, everything is there, and this many bytes behind the journal's last commit
  /// were reported as an unfinished write.
  case unnoticed(unfinishedByteCount: Int)
  /// A wrong or missing answer without an error, or an error that hides what happened.
  case wrong(String)
}

extension DamageSubject {
  private static let tellingCodes: Set<StoreError.Code> = [
    .corrupt, .journalCorrupt, .unsupportedFormat, .notAStore,
  ]

  /// Opens a damaged store for reading and for writing, reads and searches all of it, and writes.
  func outcome(on image: DiskImage) -> DamageOutcome {
    do {
      let reader = try CrashSession.open(SimulatedDisk(image), isReadOnly: true)
      if let problem = try model.difference(from: reader) { return .wrong("A reader: \(problem)") }
      let isIntact = try reader.verify().isIntact
      var session = try CrashSession(SimulatedDisk(image), .processKill, model)
      try session.put([session.makeRecord("after the damage")])
      if let problem = try session.model.difference(from: session.store) {
        return .wrong("After a put: \(problem)")
      }
      return isIntact
        ? .unnoticed(unfinishedByteCount: reader.openReport.unfinishedByteCount) : .noticed
    } catch let error as StoreError {
      return Self.tellingCodes.contains(error.code) ? .noticed : .wrong("It throws: \(error)")
    } catch {
      return .wrong("It throws: \(error)")
    }
  }
}
