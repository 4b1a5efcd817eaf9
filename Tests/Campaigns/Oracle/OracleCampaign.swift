internal import EmbeddingTestSupport

/// Makes random calls on stores and on a dictionary, which must agree on every answer.
struct OracleCampaign: Campaign {
  let name = "oracle"
  let purpose = "make random calls on a store and on a dictionary, and compare what they answer"
  let unit = "calls"

  private static let historyLength = 300
  /// One history in so many is kept in real files.
  private static let historiesPerReal = 20

  func count(at scale: CampaignScale) -> Int {
    switch scale {
    case .test: 6_000
    case .push: 1_000_000
    case .release: 100_000_000
    }
  }

  func run(_ run: CampaignRun) {
    let historyCount = (run.count + Self.historyLength - 1) / Self.historyLength
    run.onEveryCore(historyCount) { part in
      var generator = run.generator(part)
      let world = OracleWorld(length: Self.historyLength, using: &generator)
      let operations = world.operations(using: &generator)
      let isReal = part % Self.historiesPerReal == Self.historiesPerReal - 1
      let trial = OracleTrial(world: world, directory: isReal ? run.directory : nil)
      if let finding = trial.finding(operations) {
        run.found("seed \(run.seed), part \(part): \(trial.report(finding, operations))")
      }
      run.tried(operations.count)
    }
  }
}
