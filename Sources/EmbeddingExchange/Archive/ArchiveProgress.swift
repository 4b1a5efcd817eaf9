/// How far an archive is written or restored.
public struct ArchiveProgress: Equatable, Sendable {
  /// Bytes of the store's files that are done, before compression.
  public let completedByteCount: Int
  /// Bytes of all of them.
  public let totalByteCount: Int
}
