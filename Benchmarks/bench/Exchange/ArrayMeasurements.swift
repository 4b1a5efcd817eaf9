import EmbeddingExchange
import EmbeddingStores
import Foundation

/// Times exporting and importing an array with its records.
struct ArrayMeasurements {
  private let store: EmbeddingStore
  private let data: DataSet
  private let checks: Checks
  private let folder: URL

  private static let runs = 3

  /// What `exchange.py` measured, in seconds.
  struct Peer: Decodable {
    var version: String
    var save: Double
    var save_synced: Double  // swift-format-ignore: AlwaysUseLowerCamelCase
    var export: Double
    var load: Double
    var load_records: Double  // swift-format-ignore: AlwaysUseLowerCamelCase
    var mismatches: Int
  }

  init(_ store: EmbeddingStore, _ data: DataSet, _ checks: Checks, in folder: URL) {
    self.store = store
    self.data = data
    self.checks = checks
    self.folder = folder
  }

  /// Exports, lets `python` do its part with the array and the list, and imports.
  func figures(_ python: (_ array: URL, _ records: URL) throws -> Peer) throws -> [Figure] {
    Console.progress("Exporting")
    let array = folder.appending(path: "array.npy")
    let records = folder.appending(path: "records.jsonl")
    let before = try exportTimes(array, records)
    let exportMemory = try PrivateMemory.growth {
      try store.exportVectors(
        toNumPy: folder.appending(path: "halves.npy"),
        records: folder.appending(path: "halves.jsonl"), as: .float16)
    }
    Console.progress("Timing numpy")
    let peer = try python(array, records)
    checks.expect(peer.mismatches == 0, "numpy reads \(peer.mismatches) rows otherwise")
    // Once more: the machine may be busier at one time than at another.
    let exporting = try before.adding(exportTimes(array, records)).median
    let rows = Double(data.rowCount)
    var figures = [
      Figure(
        "export", "export, array and records, synced", rows / exporting, .rowsPerSecond,
        ratio: peer.export / exporting, to: "numpy \(peer.version) with json"),
      Figure(
        "export_array", "the same beside the array alone", rows / exporting, .rowsPerSecond,
        ratio: peer.save_synced / exporting, to: "numpy.save, synced"),
      Figure("numpy_save", "numpy.save, not synced", rows / peer.save, .rowsPerSecond),
    ]
    figures += try importFigures(VectorFile(npy: array), records, peer)
    figures += try RowReading(array).figures()
    if let exportMemory { figures.append(Self.memory("export", exportMemory)) }
    return figures
  }

  private func exportTimes(_ array: URL, _ records: URL) throws -> Latencies {
    var seconds: [Double] = []
    for _ in 0..<Self.runs {
      try remove([array, records])
      seconds.append(
        try Stopwatch.seconds { try store.exportVectors(toNumPy: array, records: records) })
    }
    return Latencies(seconds)
  }

  private func importFigures(
    _ array: VectorFile, _ list: URL, _ peer: Peer
  ) throws -> [Figure] {
    Console.progress("Importing")
    let records = try data.keys.map { key in try store.record(for: key) }.compactMap(\.self)
    var seconds: (importing: [Double], putting: [Double]) = ([], [])
    for _ in 0..<Self.runs {
      try inNewStore { new in
        seconds.importing.append(
          try Stopwatch.seconds {
            try new.importVectors(array, records: .jsonLines(list))
          })
        check(new, records)
      }
      try inNewStore { new in
        seconds.putting.append(
          try Stopwatch.seconds {
            for batch in records.batches(of: 1_024) { try new.put(Array(batch)) }
          })
      }
    }
    var memory: Int?
    try inNewStore { new in
      memory = try PrivateMemory.growth { try new.importVectors(array, records: .jsonLines(list)) }
    }
    let (importing, putting) = (Latencies(seconds.importing), Latencies(seconds.putting))
    let rows = Double(data.rowCount)
    let rate = rows / importing.median
    return [
      Figure(
        "import", "import, array and records", rate, .rowsPerSecond,
        ratio: putting.median / importing.median, to: "putting them from memory"),
      Figure(
        "import_numpy", "the same beside reading alone", rate, .rowsPerSecond,
        ratio: peer.load_records / importing.median, to: "numpy.load with json"),
      Figure("numpy_load", "numpy.load, of the array alone", rows / peer.load, .rowsPerSecond),
    ] + (memory.map { [Self.memory("import", $0)] } ?? [])
  }

  private func inNewStore(_ body: (EmbeddingStore) throws -> Void) throws {
    let url = folder.appending(path: "imported")
    let new = try EmbeddingStore(at: url, space: store.space)
    try body(new)
    try new.close()
    try FileManager.default.removeItem(at: url)
  }

  private func check(_ new: EmbeddingStore, _ records: [Record]) {
    checks.expect(
      (try? new.count()) == records.count, "not every row was imported")
    for record in records {
      checks.expect(
        (try? new.record(for: record.key)) == record, "\(record.key) came back otherwise")
    }
  }

  private func remove(_ files: [URL]) throws {
    for file in files where FileManager.default.fileExists(atPath: file.path) {
      try FileManager.default.removeItem(at: file)
    }
  }

  static func memory(_ name: String, _ byteCount: Int) -> Figure {
    Figure(
      "\(name)_memory", "private memory that the \(name) added", Double(byteCount) / 1e6,
      .megabytes)
  }
}
