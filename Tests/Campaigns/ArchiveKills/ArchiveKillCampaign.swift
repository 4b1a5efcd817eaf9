/// Whenever a process is killed that archives a store in use and restores archives, every archive and
/// every restored store under its final name is whole, and the store itself is as it should be.
struct ArchiveKillCampaign: Campaign {
  let name = "archive-kills"
  let purpose = "kill a process that writes, archives and restores, and look what is left"
  let unit = "kills"

  func count(at scale: CampaignScale) -> Int {
    switch scale {
    case .test: 8
    case .push: 100
    case .release: 1_000
    }
  }

  func run(_ run: CampaignRun) throws {
    run.onEveryFileSystem { directory, seed, killCount in
      var history = ArchiveKillHistory(run, in: directory, seed: seed, killCount: killCount)
      do {
        try history.killAll()
      } catch {
        run.found("\(history.place): \(error)")
      }
      return history.summary
    }
  }
}
