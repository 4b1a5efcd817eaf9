import EmbeddingCampaigns
import EmbeddingTestSupport
import Testing

/// A short run of every campaign. `torture` runs them at length.
@Suite struct CampaignTests {
  /// Switching guards off tries the other campaigns, not the library: once is enough.
  static let names = allCampaigns.map(\.name).filter { $0 != "sabotage" || !isSanitized }

  @Test(arguments: names)
  func findsNothing(name: String) throws {
    let campaign = try #require(allCampaigns.first { $0.name == name })
    let report = campaign.report(at: .test)
    print(report)
    #expect(report.tried > 0)
    #expect(report.findings.isEmpty, "\(report)")
  }
}
