import EmbeddingCampaigns
import EmbeddingTestSupport
import Testing

/// A short run of every campaign. `torture` runs them at length.
@Suite struct CampaignTests {
  /// Without those that can not tell a sanitizer anything: switching guards off tries the other
  /// campaigns, and some give every store to one thread only.
  static let names = allCampaigns.map(\.name).filter { name in
    if isThreadSanitized {
      return !["crash", "nested-crash", "damage", "faults", "bounds", "sabotage"].contains(name)
    }
    return name != "sabotage" || !isSanitized
  }

  @Test(arguments: names)
  func findsNothing(name: String) throws {
    let campaign = try #require(allCampaigns.first { $0.name == name })
    let report = campaign.report(at: .test)
    print(report)
    #expect(report.tried > 0)
    #expect(report.findings.isEmpty, "\(report)")
  }
}
