/// T5: whatever a process was told is committed is there after it was killed, and at most the one
/// operation under way beyond it.
struct KillCampaign: Campaign {
  let name = "kills"
  let purpose = "kill a process that writes, opens, compacts or backs up, and look what is left"
  let unit = "kills"

  func count(at scale: CampaignScale) -> Int {
    switch scale {
    case .test: 20
    case .push: 1_000
    case .release: 20_000
    }
  }

  func run(_ run: CampaignRun) throws {
    KillHistory.killOnEveryFileSystem(ScriptedWriting(), run)
  }
}
