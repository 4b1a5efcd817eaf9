internal import EmbeddingFiles
internal import EmbeddingTestSupport

/// One call of one script that fails in one way.
struct FaultCase: Sendable {
  let script: FaultScript
  let kind: FaultKind
  let number: Int
  let isSticky: Bool

  /// Every call that every script makes when nothing fails, in every way it can fail.
  static func all(seed: UInt64) -> [FaultCase] {
    FaultScript.all.flatMap { script in
      let calls = callCounts(of: script, seed: seed)
      return FaultKind.all.flatMap { kind in
        let count = kind.calls.reduce(0) { $0 + calls[$1, default: 0] }
        return (0..<2 * count).map { index in
          FaultCase(
            script: script, kind: kind, number: index / 2 + 1, isSticky: index % 2 == 1)
        }
      }
    }
  }

  private static func callCounts(
    of script: FaultScript, seed: UInt64
  ) -> [FaultyFileSystem.Call: Int] {
    let disk = SimulatedDisk(DiskImage())
    let fileSystem = FaultyFileSystem(SimulatedFileSystem(disk))
    let faults = SeamFaults(fileSystem, FaultKind.all[0], number: .max, isSticky: false)
    var run = FaultRun(
      script: script, path: "/store", disk: disk, fileSystem: fileSystem,
      soundFileSystem: fileSystem, faults: faults, isSticky: false,
      generator: SeededGenerator(seed: seed))
    // What fails here fails in every case too, and is reported there.
    try? run.runSteps()
    return Dictionary(
      uniqueKeysWithValues: FaultyFileSystem.Call.allCases.map { ($0, fileSystem.count(of: $0)) })
  }

  func run(_ campaign: CampaignRun, seed: UInt64) {
    let disk = SimulatedDisk(DiskImage())
    let sound = SimulatedFileSystem(disk)
    let faulty = FaultyFileSystem(sound) { call, path in
      if kind.forgetsUnsynced, call == .sync { disk.forgetUnsynced(path) }
    }
    let faults = SeamFaults(faulty, kind, number: number, isSticky: isSticky)
    var run = FaultRun(
      script: script, path: "/store", disk: disk, fileSystem: faulty, soundFileSystem: sound,
      faults: faults, isSticky: isSticky, generator: SeededGenerator(seed: seed))
    do throws(FaultFinding) {
      try run.run()
    } catch {
      campaign.found("\(self), seed \(seed): \(error.text)")
    }
    campaign.tried()
  }
}

extension FaultCase: CustomStringConvertible {
  var description: String {
    "\(script.name), \(kind.name) at call \(number)\(isSticky ? " and later ones" : "")"
  }
}
