import EmbeddingFiles
import EmbeddingKernels

/// Takes away what the store or the disk does against losses, one thing at a time, and sees that
/// the other campaigns find it.
///
/// The guards inside the library can be taken away only in a build with `-D SABOTAGE`; the rest
/// always.
struct SabotageCampaign: Campaign {
  let name = "sabotage"
  let purpose = "switch off one guard at a time, and see that another campaign notices"
  let unit = "sabotages"

  func count(at scale: CampaignScale) -> Int {
    if scale == .test { return 1 }
    return Neglect.allCases.count
      + (Self.hasSwitches ? Sabotage.allCases.count + BoundSabotage.allCases.count : 0)
  }

  #if SABOTAGE
    private static let hasSwitches = true
  #else
    private static let hasSwitches = false
  #endif

  func run(_ run: CampaignRun) throws {
    for neglect in Neglect.allCases.prefix(run.count) {
      try expect(CrashCampaign(neglect: neglect), toNotice: neglect.rawValue, run)
    }
    #if SABOTAGE
      for sabotage in Sabotage.allCases {
        Sabotage.begin(sabotage)
        defer { Sabotage.begin(nil) }
        try expect(sabotage.campaign, toNotice: "\(sabotage)", run)
      }
      for sabotage in BoundSabotage.allCases {
        BoundSabotage.begin(sabotage)
        defer { BoundSabotage.begin(nil) }
        try expect(BoundsCampaign(), toNotice: "\(sabotage)", run)
      }
    #else
      run.note("the library's own guards stay on: build with -Xswiftc -DSABOTAGE for those")
    #endif
  }

  private func expect(
    _ campaign: any Campaign, toNotice sabotage: String, _ run: CampaignRun
  ) throws {
    let report = campaign.report(at: .push, seed: run.seed, below: run.directory)
    if report.findings.isEmpty {
      run.found("\(campaign.name) notices nothing of \(sabotage) in \(report.tried) tries.")
    } else {
      run.note("\(sabotage): noticed by \(campaign.name) within \(report.tried) tries")
    }
    run.tried()
  }
}
