import EmbeddingExchange
import EmbeddingStores
import Foundation

/// Times archiving and restoring a store beside copying its files.
struct ArchiveMeasurements {
  private let store: EmbeddingStore
  private let data: DataSet
  private let checks: Checks
  private let folder: URL

  private static let runs = 3

  init(_ store: EmbeddingStore, _ data: DataSet, _ checks: Checks, in folder: URL) {
    self.store = store
    self.data = data
    self.checks = checks
    self.folder = folder
  }

  func figures() throws -> [Figure] {
    Console.progress("Archiving")
    let archive = folder.appending(path: "archive", directoryHint: .notDirectory)
    let made = folder.appending(path: "made", directoryHint: .isDirectory)
    var seconds: (archiving: [Double], backup: [Double], restoring: [Double], copying: [Double]) =
      ([], [], [], [])
    for _ in 0..<Self.runs {
      if FileManager.default.fileExists(atPath: archive.path) {
        try FileManager.default.removeItem(at: archive)
      }
      seconds.archiving.append(try Stopwatch.seconds { try store.archive(to: archive) })
      seconds.restoring.append(
        try time(making: made) { try EmbeddingStore.restore(archive, to: made) })
      seconds.backup.append(try time(making: made) { try store.backup(to: made) })
      seconds.copying.append(try time(making: made) { try copyStore(to: made) })
    }
    let archiveMemory = try PrivateMemory.growth {
      try store.archive(to: folder.appending(path: "archive again"))
    }
    let restoreMemory = try PrivateMemory.growth { try EmbeddingStore.restore(archive, to: made) }
    try check(made)
    let byteCount = Double(try store.statistics().diskByteCount)
    let size = try archive.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    let archiving = Latencies(seconds.archiving).median
    let backup = Latencies(seconds.backup).median
    let restoring = Latencies(seconds.restoring).median
    let copying = Latencies(seconds.copying).median
    let figures = [
      Figure(
        "archive", "archive", byteCount / archiving / 1e6, .megabytesPerSecond,
        ratio: copying / archiving, to: "copying the files"),
      Figure(
        "archive_backup", "the same beside the backup in it", byteCount / archiving / 1e6,
        .megabytesPerSecond, ratio: backup / archiving, to: "backup(to:)"),
      Figure(
        "restore", "restore, verified", byteCount / restoring / 1e6, .megabytesPerSecond,
        ratio: copying / restoring, to: "copying the files"),
      Figure("copy", "copying the files, synced", byteCount / copying / 1e6, .megabytesPerSecond),
      Figure(
        "archive_size", "size of the archive", Double(size) / 1e6, .megabytes,
        ratio: Double(size) / byteCount, to: "the store"),
    ]
    let memory = [("archive", archiveMemory), ("restore", restoreMemory)]
    return figures
      + memory.compactMap { name, bytes in bytes.map { ArrayMeasurements.memory(name, $0) } }
  }

  private func time(making made: URL, _ body: () throws -> Void) throws -> Double {
    let seconds = try Stopwatch.seconds(body)
    try FileManager.default.removeItem(at: made)
    return seconds
  }

  /// Reads and writes the store's files, 1 MiB at a time, and puts them on the medium.
  private func copyStore(to directory: URL) throws {
    let source = folder.appending(path: "rows")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    for name in try FileManager.default.contentsOfDirectory(atPath: source.path) {
      let copy = directory.appending(path: name)
      guard FileManager.default.createFile(atPath: copy.path, contents: nil) else {
        throw BenchError("\(copy.path) can not be made.")
      }
      let input = try FileHandle(forReadingFrom: source.appending(path: name))
      let output = try FileHandle(forWritingTo: copy)
      while let block = try input.read(upToCount: 1 << 20), !block.isEmpty {
        try output.write(contentsOf: block)
      }
      try output.synchronize()
      try output.close()
      try input.close()
    }
  }

  private func check(_ directory: URL) throws {
    let restored = try EmbeddingStore(readingAt: directory)
    checks.expect(try restored.count() == data.rowCount, "rows were lost in an archive")
    for row in stride(from: 0, to: data.rowCount, by: 16) {
      let key = data.keys[row]
      let (before, after) = (try store.record(for: key), try restored.record(for: key))
      checks.expect(before == after, "\(key) came back otherwise from an archive")
    }
    try restored.close()
  }
}
