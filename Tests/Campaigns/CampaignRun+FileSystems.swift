internal import Foundation

extension CampaignRun {
  /// Half of what is asked for on a real file system and half on one in memory, where more is done in
  /// the same time. `body` is given a directory, a seed and a count, and answers what it came to.
  func onEveryFileSystem(_ body: @Sendable (URL, UInt64, Int) throws -> String) {
    let parents = [directory] + (MemoryDirectory.url.map { [$0] } ?? [])
    if parents.count == 1 { note("Not on a file system in memory: there is none here.") }
    let shares = parents.indices.map { index in
      count / parents.count + (index < count % parents.count ? 1 : 0)
    }
    DispatchQueue.concurrentPerform(iterations: parents.count) { index in
      let directory = parents[index].appending(
        path: "kills-\(UInt64.random(in: .min ... .max))", directoryHint: .isDirectory)
      defer { try? FileManager.default.removeItem(at: directory) }
      do {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let summary = try body(directory, seed &+ UInt64(index) &* 1_000_003, shares[index])
        note("\(directory.deletingLastPathComponent().path): \(summary)")
      } catch {
        found("\(error)")
      }
    }
  }
}
