internal import Foundation

/// A migration that is killed again and again ends complete, and whoever searches meanwhile finds
/// every row of one space and none of another.
struct MigrationKillCampaign: Campaign {
  let name = "migration-kills"
  let purpose = "kill a process that moves a store to another space, while others search it"
  let unit = "kills"

  /// Kills of one migration, and rows for each of them.
  private static let killsPerMigration = 100
  private static let rowsPerKill = 200

  func count(at scale: CampaignScale) -> Int {
    switch scale {
    case .test: 12
    case .push: 100
    case .release: 1_000
    }
  }

  func run(_ run: CampaignRun) throws {
    var number = 0
    while !run.isFinished {
      let killCount = min(Self.killsPerMigration, run.count - run.tried)
      var history = try MigrationKillHistory(
        run, number: number, rowCount: killCount * Self.rowsPerKill, killCount: killCount)
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
