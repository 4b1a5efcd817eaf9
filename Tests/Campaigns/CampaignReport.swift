/// What a run of a campaign came to.
package struct CampaignReport: Sendable, CustomStringConvertible {
  package let campaign: any Campaign
  package let tried: Int
  package let findings: [String]
  package let notes: [String]
  package let seed: UInt64
  package let duration: Duration

  package var description: String {
    let seconds = (duration / .milliseconds(100)).rounded() / 10
    let headline =
      "\(campaign.name): \(tried) \(campaign.unit), \(findings.count) findings, seed \(seed), "
      + "\(seconds) s"
    return
      ([headline] + notes.map { "  \($0)" }
      + findings.prefix(CampaignRun.mostFindings).map { "  FINDING: \($0)" })
      .joined(separator: "\n")
  }
}
