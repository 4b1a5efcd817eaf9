import EmbeddingStores
import EmbeddingTestSupport

/// Crashes again while a store recovers from a crash, writes for the first time after it, and
/// compacts for the first time after it.
struct NestedCrashCampaign: Campaign {
  let name = "nested-crash"
  let purpose = "crash again during the recovery from a crash and the first compaction after it"
  let unit = "crash images"

  func count(at scale: CampaignScale) -> Int {
    switch scale {
    case .test: 200
    case .push: 20_000
    case .release: 1_000_000
    }
  }

  func run(_ run: CampaignRun) throws {
    let start = try CrashStart()
    run.onEveryCore(run.count) { number in
      var generator = run.generator(number)
      let length = Int.random(in: 1...4, using: &generator)
      let workload = CrashWorkload(randomOfLength: length, using: &generator)
      let history = try workload.run(from: start, recordingFrom: length - 1)
      guard let point = history.points.randomElement(using: &generator),
        let fates = point.fates(randomCount: 6, using: &generator).randomElement(using: &generator)
      else { return }
      for isRestart in [true, false] {
        let first = isRestart ? point.told(fates) : "a kill"
        let recovery = try recover(from: point, fates, isRestart, history, workload.durability)
        for second in recovery.points {
          for fates in second.fates(randomCount: 2, using: &generator) {
            let check = CrashCheck(states: recovery.states, allowed: second.allowed(fates))
            if let problem = check.problem(on: SimulatedDisk(second.image(fates))) {
              run.found("\(workload); after \(first), then \(second.told(fates)): \(problem)")
            }
            run.tried()
            if run.isFinished { return }
          }
        }
      }
    }
  }

  /// Opens the store after a crash, puts a record and compacts, all of it recorded.
  ///
  /// After a restart the disk holds what `fates` left; after a kill the system still has its cache.
  private func recover(
    from point: CrashPoint, _ fates: [OperationFate], _ isRestart: Bool, _ history: CrashHistory,
    _ durability: Durability
  ) throws -> CrashHistory {
    let allowed =
      isRestart ? point.allowed(fates) : point.promise.acknowledged...point.promise.begun
    let disk =
      isRestart
      ? SimulatedDisk(point.image(fates))
      : SimulatedDisk(live: point.live, durable: point.durable, pending: point.pending)
    disk.record(true)
    var session = try CrashSession(disk, durability, StoreModel())
    let check = CrashCheck(states: history.states, allowed: allowed)
    guard let found = try check.state(of: session.store) else {
      throw CrashSurprise(allowed: allowed)
    }
    var promise = CrashPromise(
      acknowledged: found, durable: isRestart ? found : min(point.promise.durable, found),
      begun: found)
    disk.promise(promise)
    session.model = history.states[found].model
    promise.begun = found + 1
    disk.promise(promise)
    try session.put([session.makeRecord("after the first crash")])
    promise.acknowledged = found + 1
    if durability == .powerLoss { promise.durable = found + 1 }
    disk.promise(promise)
    try session.perform(.compact)
    promise.durable = found + 1
    disk.promise(promise)
    return CrashHistory(
      points: disk.points, states: Array(history.states[...found]) + [CrashState(session.model)])
  }
}

/// A store that is in none of the states that it may be in, of which the crash campaign says more.
struct CrashSurprise: Error {
  var allowed: ClosedRange<Int>
}
