import EmbeddingCampaigns
import Testing

/// A short run of every campaign. `torture` runs them at length.
@Suite struct CampaignTests {
  @Test(arguments: allCampaigns.map(\.name))
  func findsNothing(name: String) throws {
    let campaign = try #require(allCampaigns.first { $0.name == name })
    let report = campaign.report(at: .test)
    print(report)
    #expect(report.tried > 0)
    #expect(report.findings.isEmpty, "\(report)")
  }
}
