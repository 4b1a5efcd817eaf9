internal import Foundation

extension KillHistory {
  /// Half of a run's kills on a real file system and half on one in memory, where more is done before
  /// each.
  static func killOnEveryFileSystem(_ work: some KilledWork, _ run: CampaignRun) {
    let parents = [run.directory] + (MemoryDirectory.url.map { [$0] } ?? [])
    if parents.count == 1 { run.note("Not on a file system in memory: there is none here.") }
    let shares = parents.indices.map { index in
      run.count / parents.count + (index < run.count % parents.count ? 1 : 0)
    }
    DispatchQueue.concurrentPerform(iterations: parents.count) { index in
      let directory = parents[index].appending(
        path: "kills-\(UInt64.random(in: .min ... .max))", directoryHint: .isDirectory)
      defer { try? FileManager.default.removeItem(at: directory) }
      var history = KillHistory(
        work, run, in: directory,
        seed: run.seed &+ UInt64(index) &* 1_000_003, killCount: shares[index])
      do {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try history.killAll()
      } catch {
        run.found("\(history.place): \(error)")
      }
      run.note("\(directory.deletingLastPathComponent().path): \(history.summary)")
    }
  }
}
