/// Whenever a process is killed that writes to a store and follows it with a text index, what words
/// find afterwards is what the records say.
struct TextKillCampaign: Campaign {
  let name = "text-kills"
  let purpose = "kill a process that writes and follows with a text index, and search by words"
  let unit = "kills"

  func count(at scale: CampaignScale) -> Int {
    switch scale {
    case .test: 12
    case .push: 200
    case .release: 2_000
    }
  }

  func run(_ run: CampaignRun) throws {
    KillHistory.killOnEveryFileSystem(FollowedWords(), run)
  }
}
