internal import Foundation

/// A run that is killed again and again ends with the store of an undisturbed one, and encodes at
/// most one batch per kill twice.
struct IndexingKillCampaign: Campaign {
  let name = "indexing-kills"
  let purpose = "kill a process that indexes, and compare the end with an undisturbed run"
  let unit = "kills"

  /// Kills of one run, and items for each of them.
  private static let killsPerRun = 200
  private static let itemsPerKill = 50

  func count(at scale: CampaignScale) -> Int {
    switch scale {
    case .test: 12
    case .push: 200
    case .release: 2_000
    }
  }

  func run(_ run: CampaignRun) throws {
    var number = 0
    while !run.isFinished {
      let killCount = min(Self.killsPerRun, run.count - run.tried)
      var history = try IndexingKillHistory(
        run, number: number, itemCount: killCount * Self.itemsPerKill, killCount: killCount)
      do {
        try history.killAll()
      } catch {
        run.found("\(history.place): \(error)")
        return
      }
      run.note(history.summary)
      number += 1
    }
  }
}
