internal import EmbeddingStores
internal import EmbeddingTestSupport
internal import Synchronization

/// Searches that read compact codes against scans of every row: the same matches bit for bit, for
/// all kinds of data, queries and filters, and after all kinds of changes.
struct CodesCampaign: Campaign {
  let name = "codes"
  let purpose = "search by compact codes and by scanning every row, and compare"
  let unit = "searches"

  func count(at scale: CampaignScale) -> Int {
    switch scale {
    case .test: 100
    case .push: 20_000
    case .release: 1_000_000
    }
  }

  /// Searches of one pair of stores.
  private static let searchesPerWorld = 1_000

  func run(_ run: CampaignRun) throws {
    let worldCount = (run.count + Self.searchesPerWorld - 1) / Self.searchesPerWorld
    let scannedShare = Mutex((work: SearchWork(), rowCount: 0))
    run.onEveryCore(worldCount) { number in
      var generator = run.generator(number)
      var world = try CodesWorld(number, &generator)
      let count = min(Self.searchesPerWorld, run.count - number * Self.searchesPerWorld)
      var done = 0
      while done < count, !run.isFinished {
        // A change now and then: rows die, and new ones have no codes.
        if done % 200 == 199 { try world.change(&generator) }
        let problem = try world.compare(&generator)
        if let problem {
          run.found("seed \(run.seed), world \(number), search \(done): \(problem)")
        }
        run.tried()
        done += 1
      }
      let work = world.work
      let rowCount = world.rowCount * count
      scannedShare.withLock {
        $0.work.add(work)
        $0.rowCount += rowCount
      }
    }
    let (work, rowCount) = scannedShare.withLock { $0 }
    let survivors = Double(work.codedRowCounts[1]) / Double(max(work.codedRowCounts[0], 1))
    run.note(
      "\(worldCount) pairs of stores; codes of \(work.codedRowCounts[0]) rows read, "
        + "\((survivors * 1_000).rounded() / 10) % of them beyond the first stage, "
        + "\(work.scoredRowCount) of \(rowCount) rows scored from Float16")
    if work.codedRowCounts[0] == 0 { run.found("No search read codes.") }
  }
}
