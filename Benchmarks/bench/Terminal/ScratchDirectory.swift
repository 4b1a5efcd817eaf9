import Foundation

/// A directory for one run, removed at its end.
struct ScratchDirectory {
  let url: URL

  /// Makes it below `parent`, or below the temporary directory.
  init(below parent: String?) throws(BenchError) {
    let parent = parent.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory
    url = parent.appending(path: "bench-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    } catch {
      throw BenchError(
        "No directory can be made in \(parent.path): \(error.localizedDescription)")
    }
  }

  func remove() {
    try? FileManager.default.removeItem(at: url)
  }
}
