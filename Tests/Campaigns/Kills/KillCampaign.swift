internal import Foundation

/// T5: whatever a process was told is committed is there after it was killed, and at most the one
/// operation under way beyond it.
struct KillCampaign: Campaign {
  let name = "kills"
  let purpose = "kill a process that writes, opens, compacts or backs up, and look what is left"
  let unit = "kills"

  func count(at scale: CampaignScale) -> Int {
    switch scale {
    case .test: 20
    case .push: 1_000
    case .release: 20_000
    }
  }

  func run(_ run: CampaignRun) throws {
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
        run, in: directory, seed: run.seed &+ UInt64(index) &* 1_000_003, killCount: shares[index])
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
