internal import EmbeddingFiles
internal import EmbeddingStores

/// One import of legacy files: what they hold is found first, then stored batch by batch.
struct LegacyImport {
  let store: EmbeddingStore
  let files: LegacyFiles
  var fileSystem: any FileSystem = POSIXFileSystem()

  /// Where the last record of a key is.
  private struct Found {
    var source: Int
    var place: LegacyRecords.Place
  }

  func run(_ progress: (ImportProgress) -> Void) throws(StoreError) -> LegacyReport {
    var report = LegacyReport()
    let sources = try openSources()
    var found: [[UInt8]: Found] = [:]
    for (index, source) in sources.enumerated() {
      try scan(source, index, isMain: source.path == mainPath, &found, &report)
    }
    let removals = LegacyRemovals(try removedKeys(), keys: Set(found.keys))
    var taken: [(key: String, found: Found)] = []
    for (key, place) in found.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      switch removals.verdict(on: key) {
      case .removed: report.leave(key, .removed)
      case .uncertain: report.leave(key, .removalUncertain)
      case .kept:
        guard let text = String(validating: key, as: UTF8.self) else {
          report.leave(
            key,
            .refused(StoreError(.invalidKey, "The key is not UTF-8, so nothing can ask for it.")))
          continue
        }
        taken.append((text, place))
      }
    }
    taken.sort { ($0.found.source, $0.found.place.end) < ($1.found.source, $1.found.place.end) }
    let records = taken.lazy.map { entry in
      Record(key: entry.key, vector: sources[entry.found.source].vector(entry.found.place))
    }
    try report.put(records, into: store, progress)
    return report
  }

  private var mainPath: String { get throws(StoreError) { try files.main.filePath() } }

  private func openSources() throws(StoreError) -> [LegacySource] {
    var sources: [LegacySource] = []
    for url in [files.main, files.journal] {
      let source = try LegacySource(
        try url.filePath(), dimension: store.space.dimension, on: fileSystem)
      if let source { sources.append(source) }
    }
    guard !sources.isEmpty else {
      throw StoreError(
        .notFound, "There is neither a main file nor a journal. Check the directory and the name.",
        path: try mainPath)
    }
    return sources
  }

  private func scan(
    _ source: LegacySource, _ index: Int, isMain: Bool, _ found: inout [[UInt8]: Found],
    _ report: inout LegacyReport
  ) throws(StoreError) {
    let header = isMain ? try LegacyHeader(source) : nil
    let hasStart = !isMain || header != nil
    var count = 0
    var damages: [Range<Int>] = []
    try source.records.scan(
      from: header == nil ? 0 : LegacyHeader.byteCount, isStart: hasStart,
      found: { place in
        found[source.key(place)] = Found(source: index, place: place)
        count += 1
      }, damaged: { damages.append($0) })
    report.damages += damages.map {
      LegacyReport.Damage(
        path: source.path, bytes: $0, description: "\($0.count) bytes that are no whole record")
    }
    let head = 0..<min(LegacyHeader.byteCount, source.records.bytes.byteCount)
    if !hasStart {
      report.damages.append(
        LegacyReport.Damage(path: source.path, bytes: head, description: "no header"))
    } else if let header, header.recordCount != count {
      report.damages.append(
        LegacyReport.Damage(
          path: source.path, bytes: head,
          description: "the header says \(header.recordCount) records, and \(count) were found"))
    }
  }

  private func removedKeys() throws(StoreError) -> [UInt8] {
    let path = try files.tombstones.filePath()
    return try translatingErrors { () throws(StorageError) -> [UInt8] in
      guard try fileSystem.attributes(of: path) != nil else { return [] }
      let file = try fileSystem.open(path, .read)
      return try file.read(at: 0, byteCount: Int(clamping: try file.attributes().byteCount))
    }
  }
}
