internal import EmbeddingFiles
internal import EmbeddingStores

/// One archive being made a store again.
struct StoreRestoring {
  let archivePath: String
  let path: String
  var fileSystem: any FileSystem = POSIXFileSystem()

  func run(_ progress: (ArchiveProgress) -> Void) throws(StoreError) {
    var reader = try ArchiveReader(archivePath, on: fileSystem)
    try translatingErrors { () throws(StorageError) in
      try fileSystem.checkIsFree(path)
      try checkSpace(for: reader.header)
    }
    let directory = try UnfinishedDirectory(for: path, on: fileSystem)
    do throws(StoreError) {
      try extract(&reader, to: directory.temporaryPath, progress)
      try checkStore(at: directory.temporaryPath)
      try directory.publish()
    } catch {
      directory.discard()
      throw error
    }
  }

  private func checkSpace(for header: ArchiveHeader) throws(StorageError) {
    let parent = StoreDirectory.parent(of: path)
    let available = try fileSystem.availableByteCount(at: parent)
    guard available >= UInt64(header.contentByteCount) else {
      throw StorageError(
        .noSpace, path: path,
        "The store takes \(header.contentByteCount) bytes, and the volume has \(available) left. Free "
          + "some space, then try again.")
    }
  }

  private func extract(
    _ reader: inout ArchiveReader, to directory: String, _ progress: (ArchiveProgress) -> Void
  ) throws(StoreError) {
    var names: Set<String> = []
    var completedByteCount = 0
    var current: ExtractedFile?
    while true {
      guard !Task.isCancelled else {
        throw StoreError(.cancelled, "The restoring was cancelled. Nothing was restored.")
      }
      switch try reader.next() {
      case .file(let name, let byteCount):
        try current?.finish(reader)
        guard Self.isFileOfAStore(name), names.insert(name).inserted,
          byteCount <= reader.header.contentByteCount - completedByteCount
        else { throw reader.damaged("it holds a file that no store has") }
        current = try ExtractedFile("\(directory)/\(name)", byteCount: byteCount, on: fileSystem)
      case .block(let bytes):
        guard let current, bytes.count <= current.missingByteCount else {
          throw reader.damaged("it holds bytes of no file")
        }
        try current.append(bytes)
        completedByteCount += bytes.count
        progress(
          ArchiveProgress(
            completedByteCount: completedByteCount, totalByteCount: reader.header.contentByteCount))
      case .end:
        try current?.finish(reader)
        guard names.count == reader.header.fileCount,
          completedByteCount == reader.header.contentByteCount
        else { throw reader.damaged("files are missing") }
        return
      }
    }
  }

  /// Names come from outside: none of these leads out of a directory.
  static func isFileOfAStore(_ name: String) -> Bool {
    if name == Manifest.fileName { return true }
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 2 && (parts[0] == "main" || parts[0] == "journal")
      && UInt64(parts[1]).map { "\($0)" == parts[1] } == true
  }

  /// Whoever forges an archive can make its checksums hold.
  private func checkStore(at directory: String) throws(StoreError) {
    do throws(StoreError) {
      let store = try EmbeddingStore(
        fileSystem, path: directory, space: nil, isReadOnly: true, StoreConfiguration())
      let problem = try store.verify().problems.first
      try store.close()
      if let problem { throw problem }
    } catch {
      guard [.corrupt, .journalCorrupt, .notAStore, .notFound].contains(error.code) else {
        throw error.located("The store in the archive can not be used", in: archivePath)
      }
      throw StoreError(
        .corrupt,
        "The archive holds no store that can be used: \(error.message) Nothing was restored.",
        path: archivePath)
    }
  }
}

/// A file that an archive says is to come.
private final class ExtractedFile {
  private let file: any File
  private let byteCount: Int
  private var writtenByteCount = 0

  init(_ path: String, byteCount: Int, on fileSystem: any FileSystem) throws(StoreError) {
    file = try translatingErrors { () throws(StorageError) in
      try fileSystem.open(path, .create)
    }
    self.byteCount = byteCount
  }

  var missingByteCount: Int { byteCount - writtenByteCount }

  func append(_ bytes: [UInt8]) throws(StoreError) {
    try translatingErrors { () throws(StorageError) in
      try bytes.withRawSpan { (span) throws(StorageError) in
        try file.write(span, at: UInt64(writtenByteCount))
      }
    }
    writtenByteCount += bytes.count
  }

  func finish(_ reader: ArchiveReader) throws(StoreError) {
    guard missingByteCount == 0 else { throw reader.damaged("a file is shorter than it was") }
    try translatingErrors { () throws(StorageError) in
      try file.sync(.full)
      try file.close()
    }
  }
}
