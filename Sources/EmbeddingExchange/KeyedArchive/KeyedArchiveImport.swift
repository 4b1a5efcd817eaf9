internal import EmbeddingFiles
internal import EmbeddingStores

/// One import of a dictionary that `NSKeyedArchiver` wrote.
struct KeyedArchiveImport {
  let store: EmbeddingStore
  let path: String

  func run(_ progress: (ImportProgress) -> Void) throws(StoreError) -> LegacyReport {
    let archive = try archive()
    var report = LegacyReport()
    var good: [(key: String, value: Int)] = []
    var keys: Set<Key> = []
    for (key, value) in archive.entries {
      guard let key = archive.string(key) else { throw malformed("a key is not a string") }
      guard keys.insert(Key(key)).inserted else { throw malformed("a key is there twice") }
      if archive.vector(value, maximumCount: Self.maximumCount) == nil {
        let name = archive.className(value) ?? "its value"
        report.leave(
          Array(key.utf8), .refused(malformed("\(name) is neither a list of numbers nor data")))
      } else {
        good.append((key, value))
      }
    }
    good.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    let records = good.lazy.map { entry in
      Record(
        key: entry.key,
        vector: archive.vector(entry.value, maximumCount: Self.maximumCount) ?? [])
    }
    try report.put(records, into: store, progress)
    return report
  }

  /// More components than any store's vectors have.
  private static let maximumCount = 4_096

  private func archive() throws(StoreError) -> KeyedArchive {
    let bytes = try translatingErrors { () throws(StorageError) -> [UInt8] in
      let file = try POSIXFileSystem().open(path, .read)
      return try file.read(at: 0, byteCount: Int(clamping: try file.attributes().byteCount))
    }
    do throws(KeyedArchive.Defect) {
      return try KeyedArchive(bytes)
    } catch {
      throw malformed(error.reason)
    }
  }

  private func malformed(_ reason: String) -> StoreError {
    StoreError(
      .malformedFile, "The file is no keyed archive of vectors by key: \(reason).", path: path)
  }
}
