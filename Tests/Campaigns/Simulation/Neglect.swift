/// A promise that a simulated disk breaks: it says that something is on the medium, and it is not.
///
/// A campaign that finds nothing on such a disk would find nothing in a store that forgets the
/// call. Barriers are not among them: that a later commit never counts without the earlier ones
/// follows from the chain of checksums as well.
enum Neglect: String, CaseIterable, Sendable {
  case directorySync, mainFileSync, manifestSync, newJournalSync, commitSync, parentDirectorySync
}

extension Neglect {
  /// What the sync of a directory is for.
  init(syncingDirectory path: String) {
    self = path == "/" ? .parentDirectorySync : .directorySync
  }

  /// What the full sync of a file is for.
  init(syncing path: String, byteCount: Int, isFirst: Bool) {
    if path.contains("journal-") {
      self = isFirst ? .newJournalSync : .commitSync
    } else {
      self = byteCount <= 1_024 ? .manifestSync : .mainFileSync
    }
  }
}
