internal import EmbeddingFiles
internal import EmbeddingStores
internal import Foundation

/// One archive being written: a backup of the store, file by file, block by block.
struct StoreArchiving {
  let store: EmbeddingStore
  let path: String
  var fileSystem: any FileSystem = POSIXFileSystem()

  func run(_ progress: (ArchiveProgress) -> Void) throws(StoreError) {
    let archive = try UnfinishedFile(path, on: fileSystem)
    do throws(StoreError) {
      let copy = try UnfinishedDirectory(for: path, on: fileSystem)
      defer { copy.discard() }
      try store.backup(to: URL(filePath: copy.temporaryPath, directoryHint: .isDirectory))
      try write(copy.temporaryPath, to: archive, progress)
      try archive.finish()
      try archive.publish()
    } catch {
      archive.discard()
      throw error
    }
  }

  private func write(
    _ directory: String, to archive: UnfinishedFile, _ progress: (ArchiveProgress) -> Void
  ) throws(StoreError) {
    let files = try translatingErrors { () throws(StorageError) in
      try Self.files(directory, fileSystem)
    }
    let totalByteCount = files.reduce(0) { $0 + $1.byteCount }
    var header = ArchiveHeader(fileCount: files.count, contentByteCount: totalByteCount)
    try archive.append(header.encoded())
    var checksum = header.checksum
    var completedByteCount = 0
    for (name, file, byteCount) in files {
      try archive.append(ArchiveFrame.file(name: name, byteCount: byteCount).encoded(&checksum))
      var offset = 0
      while offset < byteCount {
        guard !Task.isCancelled else {
          throw StoreError(.cancelled, "The archiving was cancelled. Nothing was written.")
        }
        let block = try translatingErrors { () throws(StorageError) in
          try file.read(
            at: UInt64(offset), byteCount: min(ArchiveFrame.blockByteCount, byteCount - offset))
        }
        guard !block.isEmpty else { throw ArchiveReader.damaged("its copy was cut short", path) }
        try archive.append(ArchiveFrame.block(block).encoded(&checksum))
        offset += block.count
        completedByteCount += block.count
        progress(
          ArchiveProgress(
            completedByteCount: completedByteCount, totalByteCount: totalByteCount))
      }
    }
    try archive.append(ArchiveFrame.end.encoded(&checksum))
  }

  /// The files of a store that its manifest names, and the manifest.
  private static func files(
    _ directory: String, _ fileSystem: any FileSystem
  ) throws(StorageError) -> [(name: String, file: any File, byteCount: Int)] {
    let manifest = try StoreDirectory(fileSystem, path: directory).readManifest()
    let names = [
      "main-\(manifest.mainGeneration)", "journal-\(manifest.journalGeneration)", Manifest.fileName,
    ]
    var files: [(String, any File, Int)] = []
    for name in names {
      let file = try fileSystem.open("\(directory)/\(name)", .read)
      files.append((name, file, Int(clamping: try file.attributes().byteCount)))
    }
    return files
  }
}
