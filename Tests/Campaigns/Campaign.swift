package import Foundation

/// One way of trying to make a store lose, damage or misreport something, run as often as there is
/// time for.
///
/// A campaign is deterministic for a seed as far as the system lets it be, and a finding says how
/// to see it again.
package protocol Campaign: Sendable {
  /// The name to call it by: one lower-case word, or two with a hyphen.
  var name: String { get }
  /// What it does, in one line.
  var purpose: String { get }
  /// What is counted, in the plural, such as "crash images".
  var unit: String { get }

  /// How much is enough for a purpose.
  func count(at scale: CampaignScale) -> Int

  /// Tries `run.count` times. Throws only when it could not try at all.
  func run(_ run: CampaignRun) throws
}

package enum CampaignScale: String, CaseIterable, Sendable {
  /// A few seconds, in debug builds and under sanitizers: within `swift test`.
  case test
  /// What every push is held to.
  case push
  /// What a release is held to.
  case release
}

extension Campaign {
  /// Runs `count` times, or as often as the scale asks, in a directory of its own.
  package func report(
    count: Int? = nil, at scale: CampaignScale, seed: UInt64 = 1, below parent: URL? = nil
  ) -> CampaignReport {
    let start = ContinuousClock.now
    let run = CampaignRun(count: count ?? self.count(at: scale), seed: seed, below: parent)
    do {
      try run.inScratchDirectory { try self.run(run) }
    } catch {
      run.found("The campaign stopped: \(error)")
    }
    return CampaignReport(
      campaign: self, tried: run.tried, findings: run.findings, notes: run.notes, seed: seed,
      duration: start.duration(to: .now))
  }
}
