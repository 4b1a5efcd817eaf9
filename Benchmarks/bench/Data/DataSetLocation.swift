import Foundation

/// Where the data of a run comes from.
enum DataSetLocation {
  /// The data that the arguments ask for; a synthetic set is made in `scratch` first.
  static func load(_ arguments: Arguments, scratch: URL) throws -> DataSet {
    var data: DataSet
    if let rowCount = arguments.rowCount {
      let synthetic = SyntheticData(
        rowCount: BuildKind.isDebug ? min(rowCount, BuildKind.debugRowCount) : rowCount,
        dimension: arguments.dimension ?? 384, isIsotropic: arguments.isIsotropic)
      data = try synthetic.make(in: scratch)
    } else {
      data = try DataSet(readingAt: try folder(arguments, scratch: scratch))
      if BuildKind.isDebug { data = data.limited(to: BuildKind.debugRowCount) }
    }
    return data.answers.isEmpty ? data.withComputedAnswers() : data
  }

  /// The folder that `--data` names, or `Benchmarks/Data`; with `--first`, one made in `scratch` of
  /// its first rows.
  static func folder(_ arguments: Arguments, scratch: URL) throws -> URL {
    let whole =
      try arguments.data.map { URL(filePath: $0) }
      ?? benchmarksFolder("Data", holding: "set.json")
    guard let count = arguments.first else { return whole }
    let part = scratch.appending(path: "first-\(count)")
    if FileManager.default.fileExists(atPath: part.path) { return part }
    return try DataSet.writeFirst(count, of: whole, below: scratch)
  }

  /// A folder below `Benchmarks`, seen from the current directory, else from this file.
  static func benchmarksFolder(
    _ name: String, holding file: String
  ) throws(BenchError) -> URL {
    let current = URL(filePath: FileManager.default.currentDirectoryPath)
    let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let candidates = [current.appending(path: "Benchmarks/\(name)"), source.appending(path: name)]
    for folder in candidates {
      if FileManager.default.fileExists(atPath: folder.appending(path: file).path) { return folder }
    }
    throw BenchError(
      "There is no Benchmarks/\(name)/\(file) here or beside bench's source. Run bench in the "
        + "package's directory, or name a folder with --data.")
  }
}
