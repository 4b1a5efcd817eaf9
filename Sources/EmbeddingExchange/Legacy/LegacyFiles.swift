public import Foundation

/// The files of Queryable's `EmbeddingStore`: `NAME.qemb`, `NAME_journal.qemb` and
/// `NAME_tombstones.txt`, of which any but all may be missing.
public struct LegacyFiles: Sendable {
  /// Records, behind a header.
  public var main: URL
  /// Records that were appended since.
  public var journal: URL
  /// Keys that were removed since, one a line.
  public var tombstones: URL

  /// The files in a directory under the names that the app gave them.
  public init(in directory: URL, named name: String = "imageEmbedding") {
    main = directory.appending(path: "\(name).qemb", directoryHint: .notDirectory)
    journal = directory.appending(path: "\(name)_journal.qemb", directoryHint: .notDirectory)
    tombstones = directory.appending(path: "\(name)_tombstones.txt", directoryHint: .notDirectory)
  }
}
