internal import EmbeddingKernels
internal import EmbeddingTestSupport
internal import Synchronization

/// U >= K, for every row, every query and every stage, checked in Float64; and U >= the exact product.
///
/// Over all kinds of data, and over rows built so that the inequalities of the proof hold with
/// equality (`TightRows`).
struct BoundsCampaign: Campaign {
  let name = "bounds"
  let purpose = "check every bound of every stage of compact codes in double precision"
  let unit = "bounds"

  func count(at scale: CampaignScale) -> Int {
    switch scale {
    case .test: 10_000
    case .push: 2_000_000
    case .release: 100_000_000
    }
  }

  func run(_ run: CampaignRun) throws {
    let tightest = Mutex(Double.infinity)
    let worlds = BoundsWorld.allWorlds
    // Each world again and again with other random numbers, until enough were checked.
    let rounds = max(1, run.count / 1_000)
    run.onEveryCore(rounds) { number in
      var generator = run.generator(number)
      let world = worlds[number % worlds.count]
      guard let checked = BoundsCheck(world, &generator) else {
        return run.found("\(world): no codes could be made")
      }
      for _ in 0..<8 where !run.isFinished {
        let outcome = checked.check(&generator)
        if let problem = outcome.problem {
          run.found("seed \(run.seed), number \(number), \(world): \(problem)")
        }
        tightest.withLock { $0 = min($0, outcome.smallestGap) }
        run.tried(outcome.boundCount)
      }
    }
    let gap = tightest.withLock { $0 }
    run.note("the tightest is above the exact product by \(gap) of the lengths")
  }
}
