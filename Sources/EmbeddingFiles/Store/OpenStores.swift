import Synchronization

/// The stores that this process has open for writing, by the identity of their directories, so
/// that the same one is not opened for writing twice; and those in which a sync failed.
enum OpenStores {
  private struct Entries {
    var writable: Set<FileIdentity> = []
    var needRewrite: Set<FileIdentity> = []
  }

  private static let entries = Mutex(Entries())

  /// Notes a store as open for writing.
  static func register(_ identity: FileIdentity, path: String) throws(StorageError) {
    guard entries.withLock({ $0.writable.insert(identity).inserted }) else {
      throw StorageError(
        .alreadyOpenForWriting, path: path,
        "This process has the store open for writing already. Share that store object, or open "
          + "this one read-only.")
    }
  }

  static func unregister(_ identity: FileIdentity) {
    entries.withLock { _ = $0.writable.remove(identity) }
  }

  /// Remembers that a sync failed: what the system's cache shows of the journal since may not be
  /// on the medium, even when a later sync succeeds.
  static func syncFailed(in identity: FileIdentity) {
    entries.withLock { _ = $0.needRewrite.insert(identity) }
  }

  /// Whether a sync failed since the journal was last written anew.
  static func needsRewrite(_ identity: FileIdentity) -> Bool {
    entries.withLock { $0.needRewrite.contains(identity) }
  }

  static func rewrote(_ identity: FileIdentity) {
    entries.withLock { _ = $0.needRewrite.remove(identity) }
  }
}
