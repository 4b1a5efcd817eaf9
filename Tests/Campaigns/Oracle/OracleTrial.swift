internal import EmbeddingFiles
internal import EmbeddingStores
internal import EmbeddingTestSupport
internal import Foundation

/// One history, which can be run again with some of its calls left out.
struct OracleTrial {
  let world: OracleWorld
  /// Where to keep real files; nil to keep them in memory.
  let directory: URL?

  /// Says what goes wrong, if anything.
  func finding(_ operations: [OracleOperation]) -> String? {
    guard let directory else { return finding(operations, MemoryFileSystem(), "/store") }
    let url = directory.appending(path: "oracle-\(UInt64.random(in: .min ... .max))")
    defer { try? FileManager.default.removeItem(at: url) }
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    } catch {
      return "no directory could be made: \(error)"
    }
    return finding(operations, POSIXFileSystem(), url.appending(path: "store").path)
  }

  private func finding(
    _ operations: [OracleOperation], _ fileSystem: any FileSystem, _ path: String
  ) -> String? {
    var number = 0
    do {
      var history = try OracleHistory(world, fileSystem, path: path)
      while number < operations.count {
        try history.perform(operations[number])
        number += 1
      }
      try history.finish()
      return nil
    } catch {
      let text = (error as? FaultFinding)?.text ?? "\(error)"
      let place = number < operations.count ? "call \(number + 1)" : "the end"
      return "at \(place): \(text)"
    }
  }

  /// Leaves calls out, in runs of ever fewer, while what is left still goes wrong.
  /// With them comes what went wrong last.
  private func shrink(_ operations: inout [OracleOperation], _ found: inout String) {
    var runLength = max(1, operations.count / 2)
    while true {
      var start = 0
      var isShorter = false
      while start < operations.count {
        var fewer = operations
        fewer.removeSubrange(start..<min(start + runLength, operations.count))
        if let finding = finding(fewer) {
          operations = fewer
          found = finding
          isShorter = true
        } else {
          start += runLength
        }
      }
      if runLength == 1, !isShorter { return }
      runLength = max(1, runLength / 2)
    }
  }

  /// A finding with the shortest calls that lead to it.
  func report(_ found: String, _ operations: [OracleOperation]) -> String {
    var found = found
    var shortest = operations
    shrink(&shortest, &found)
    let calls = shortest.enumerated().map { "    \($0 + 1). \($1)" }
    let place = directory == nil ? "in memory" : "on files"
    return ([found] + ["  \(world) \(place)"] + calls)
      .joined(separator: "\n")
  }
}
