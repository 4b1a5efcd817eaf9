import Foundation

extension DataSet {
  /// Writes the first rows of the set in `folder`, with answers of their own, as a set below
  /// `parent`; answers where.
  static func writeFirst(_ count: Int, of folder: URL, below parent: URL) throws -> URL {
    let whole = try DataSet(readingAt: folder)
    guard count <= whole.rowCount else {
      throw BenchError("\(folder.path) has \(whole.rowCount) rows, and --first asks for \(count).")
    }
    let part = whole.limited(to: count)
    let target = parent.appending(path: "first-\(count)")
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    for file in ["queries.f32", "queries.txt"] {
      try FileManager.default.copyItem(
        at: folder.appending(path: file), to: target.appending(path: file))
    }
    let source = DataSetFiles(directory: folder)
    var description = try source.description()
    description.rows = count
    description.truth = part.answers.first?.count ?? 0
    description.source = "the first rows of: \(description.source ?? "unknown")"
    let rows = part.withHalves(ofRows: 0..<count) { Data(buffer: $0) }
    let answers = part.answers.joined()
    let numbers = answers.map { UInt32($0.row).littleEndian }
    let scores = answers.map(\.score.bitPattern.littleEndian)
    var files = [
      "rows.f16": rows, "keys.txt": lines(part.keys),
      "truth-rows.u32": numbers.withUnsafeBytes { Data($0) },
      "truth-scores.f64": scores.withUnsafeBytes { Data($0) },
      "set.json": try JSONEncoder().encode(description),
    ]
    if FileManager.default.fileExists(atPath: folder.appending(path: "months.txt").path) {
      files["months.txt"] = lines(
        try source.lines(of: "months.txt", count: whole.rowCount).prefix(count))
    }
    for (name, data) in files { try data.write(to: target.appending(path: name)) }
    return target
  }

  private static func lines(_ lines: some Sequence<String>) -> Data {
    Data(lines.map { $0 + "\n" }.joined().utf8)
  }
}
