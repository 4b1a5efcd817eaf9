package import EmbeddingFiles
internal import EmbeddingKernels
public import Foundation
internal import Synchronization

/// A directory of vectors, and what the app knows about the items behind them, searchable by
/// meaning.
///
/// Open one object per store and process for writing, and share it: every method may be called
/// from any thread. Reading and searching (`EmbeddingReader`) never wait for writing. Any number
/// of processes may have the store open; those that write take turns, and each sees what the
/// others committed after `refresh()` or its own next write.
///
/// ```swift
/// let space = EmbeddingSpace(model: "MobileCLIP-S1", revision: "1.0.0", dimension: 512)
/// let store = try EmbeddingStore(at: directory, space: space)
/// try store.put([Record(key: "IMG_0001", vector: embedding, labels: ["beach"])])
/// let matches = try store.search(for: query, count: 30)
/// ```
public final class EmbeddingStore: EmbeddingReader {
  /// The space of the vectors.
  public let space: EmbeddingSpace
  /// How the store was opened.
  public let configuration: StoreConfiguration
  let files: StoreFiles
  let isInMemory: Bool
  let changeFeed: ChangeFeed
  let failedCompaction = FailedCompaction()
  private let searchScratch = SearchScratch()
  /// Stores in directories of this one's, by name.
  let companions = Mutex<[String: EmbeddingStore]>([:])

  /// Opens the store in `directory` for reading and writing, or creates it there.
  ///
  /// The directory's parent must exist. Opening an existing store writes nothing, starts nothing,
  /// holds no lock, and takes time in proportion to its journal, not to its rows.
  ///
  /// - Throws: `.notFound` without a parent directory; `.notADirectory` or `.notAStore` where
  ///   something else is; `.spaceMismatch` when the store has another space; `.corrupt`,
  ///   `.journalCorrupt` or `.unsupportedFormat` when it can not be read, and nothing is changed
  ///   then; `.alreadyOpenForWriting` when this process has it open for writing;
  ///   `.invalidArgument` for a space out of range or a URL that is not a file's.
  public convenience init(
    at directory: URL, space: EmbeddingSpace,
    configuration: StoreConfiguration = StoreConfiguration()
  ) throws(StoreError) {
    try self.init(
      POSIXFileSystem(), path: directory.storePath(), space: space, isReadOnly: false,
      configuration)
  }

  /// Opens the store in `directory` for reading only, whatever its space.
  ///
  /// Needs no write access and changes nothing there. `refresh()` takes in what other processes
  /// commit. Throws as `init(at:space:configuration:)`; a missing store is `.notFound`.
  public convenience init(
    readingAt directory: URL, configuration: StoreConfiguration = StoreConfiguration()
  ) throws(StoreError) {
    try self.init(
      POSIXFileSystem(), path: directory.storePath(), space: nil, isReadOnly: true, configuration)
  }

  /// Makes a store in memory, for previews, tests and short-lived work: the same store without
  /// files, gone when the object is.
  public convenience init(
    inMemory space: EmbeddingSpace, configuration: StoreConfiguration = StoreConfiguration()
  ) throws(StoreError) {
    try self.init(
      MemoryFileSystem(), path: "/store", space: space, isReadOnly: false, configuration,
      isInMemory: true)
  }

  package init(
    _ fileSystem: any FileSystem, path: String, space: EmbeddingSpace?, isReadOnly: Bool,
    _ configuration: StoreConfiguration, isInMemory: Bool = false
  ) throws(StoreError) {
    self.isInMemory = isInMemory
    var options = StoreFilesOptions(space: try space?.checked(), rowLength: Self.length)
    options.isReadOnly = isReadOnly
    options.mapMode = configuration.mainFileAccess == .heap ? .heap : .mapped
    options.lockTimeout = configuration.lockTimeout
    options.rowCoding = configuration.writesCompactCodes ? .compact : nil
    options.salvagesJournal = configuration.recovery == .salvage
    let files = try translatingErrors { () throws(StorageError) in
      try StoreFiles(fileSystem, path: path, options: options)
    }
    let contents = try translatingErrors { () throws(StorageError) in try files.contents() }
    self.files = files
    changeFeed = ChangeFeed(after: contents.lastSequence)
    self.space = EmbeddingSpace(contents.space)
    self.configuration = configuration
    if configuration.verifiesOnOpen, let problem = try verify().problems.first {
      throw problem
    }
  }

  /// Whether the store was opened for reading only.
  public var isReadOnly: Bool { files.options.isReadOnly }

  /// Where the store is; nil for one in memory.
  public var directory: URL? {
    isInMemory ? nil : URL(filePath: files.directory.path, directoryHint: .isDirectory)
  }

  deinit { changeFeed.finish() }

  /// A view of everything as of the last commit of this process, or of the last refresh.
  public func snapshot() throws(StoreError) -> Snapshot {
    snapshot(of: try translatingErrors { () throws(StorageError) in try files.contents() })
  }

  func snapshot(of contents: Contents) -> Snapshot {
    Snapshot(contents, threads: SearchThreads(configuration), scratch: searchScratch)
  }

  /// Every commit from now on, whoever wrote it, as this object learns of it. What others wrote comes
  /// with counts of 0.
  ///
  /// A slow listener skips to the newest one; `rows(changedSince:)` tells all that changed. Ends
  /// when the store is closed.
  public var changes: AsyncStream<Commit> { changeFeed.stream() }

  private static let length: @Sendable (RawSpan) -> Float = { row in
    PreparedQuery(row: row, dimension: row.byteCount / 2).length
  }
}

extension URL {
  /// The path of a file URL, without slashes, or dots between them, at the end.
  func storePath() throws(StoreError) -> String {
    guard isFileURL else {
      throw StoreError(
        .invalidArgument, "A store is a directory on this device, and \(self) is not a file URL.")
    }
    var path = absoluteURL.path(percentEncoded: false)
    while path.count > 1, path.hasSuffix("/") || path.hasSuffix("/.") { path.removeLast() }
    return path
  }
}
