internal import EmbeddingFiles
internal import EmbeddingTestSupport

/// Makes call number 1, 2, 3 and so on of scripts fail, in every way in which such a call can fail,
/// once and from then on.
package struct FaultsCampaign: Campaign {
  package let name = "faults"
  package let purpose = "fail every file system call of many scripts in turn, once and for good"
  package let unit = "failed calls"

  package init() {}

  package func count(at scale: CampaignScale) -> Int {
    switch scale {
    case .test: 300
    case .push: 30_000
    case .release: 1_000_000
    }
  }

  package func run(_ run: CampaignRun) {
    let cases = FaultCase.all(seed: run.seed)
    var generator = SeededGenerator(seed: run.seed)
    // What asks for most of them gets all.
    if run.count < cases.count / 2 {
      for fault in cases.shuffled(using: &generator).prefix(run.count) where !run.isFinished {
        fault.run(run, seed: run.seed)
      }
      run.note(
        "a sample of the \(cases.count) calls that can fail in \(FaultScript.all.count) scripts")
      return
    }
    var seed = run.seed
    repeat {
      for fault in cases where run.findings.count < 20 { fault.run(run, seed: seed) }
      seed += 1
    } while !run.isFinished
    run.note(
      "every one of \(cases.count) calls of \(FaultScript.all.count) scripts, with "
        + "\(seed - run.seed) seeds")
  }
}
