import EmbeddingTestSupport

/// Crashes after every operation of every short workload, with everything that a crash may leave
/// of what was not synced.
struct CrashCampaign: Campaign {
  let name = "crash"
  let purpose = "cut the power, or kill the process, after every disk operation of a workload"
  let unit = "crash images"
  /// The promise that the disk breaks, if any.
  var neglect: Neglect?

  func count(at scale: CampaignScale) -> Int {
    switch scale {
    case .test: 1_500
    case .push: 1_100_000
    case .release: 10_000_000
    }
  }

  func run(_ run: CampaignRun) throws {
    crash(in: try CrashStart.creation(neglecting: neglect), of: "creation", run, run.generator(0))
    let start = try CrashStart()
    @Sendable func tryAll(_ workload: CrashWorkload, _ generator: SeededGenerator) throws {
      // Crashes before the last step are those of a shorter workload.
      let history = try workload.run(
        from: start, recordingFrom: workload.steps.count - 1, neglecting: neglect)
      crash(in: history, of: "\(workload)", run, generator)
    }
    for length in 1...3 {
      run.onEveryCore(CrashWorkload.count(ofLength: length)) { number in
        let workload = CrashWorkload(number: number, length: length)
        try tryAll(workload, run.generator(length, number))
      }
      if run.isFinished { return }
      run.note("every workload of up to \(length) steps at each durability: \(run.tried) images")
    }
    run.onEveryCore(run.count) { number in
      var generator = run.generator(4, number)
      let length = Int.random(in: 4...12, using: &generator)
      try tryAll(CrashWorkload(randomOfLength: length, using: &generator), generator)
    }
  }

  /// Tries every image of every crash in a history.
  private func crash(
    in history: CrashHistory, of workload: String, _ run: CampaignRun,
    _ generator: SeededGenerator
  ) {
    var generator = generator
    for (number, point) in history.points.enumerated() {
      for fates in point.fates(randomCount: 6, using: &generator) {
        let check = CrashCheck(
          states: history.states, allowed: point.allowed(fates),
          backupCount: point.promise.backupCount)
        if let problem = check.problem(on: SimulatedDisk(point.image(fates))) {
          run.found("\(workload); crash point \(number), \(point.told(fates)): \(problem)")
          if run.isFinished { return }
        }
        run.tried()
      }
    }
  }
}

extension CrashPoint {
  /// The states that a store may have: a killed process loses nothing that was acknowledged.
  func allowed(_ fates: [OperationFate]) -> ClosedRange<Int> {
    let isKill =
      fates.dropLast().allSatisfy { $0 == .whole }
      && (fates.last == .whole || fates.last == nil || lastOperation != nil)
    return (isKill ? promise.acknowledged : promise.durable)...promise.begun
  }

  func told(_ fates: [OperationFate]) -> String {
    zip(pending, fates).map { "\($0.summary) \($1)" }.joined(separator: ", ")
  }
}

extension DiskOperation {
  var summary: String {
    switch self {
    case .write(let file, let offset, let bytes): "write \(file) \(offset)+\(bytes.count)"
    default: "\(self)"
    }
  }
}
