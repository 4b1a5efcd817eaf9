internal import EmbeddingTestSupport
internal import Foundation

/// Fills a real volume, and files up to a real limit, at random points, and goes on.
package struct FullDiskCampaign: Campaign {
  package let name = "full-disk"
  package let purpose = "fill a small volume, and files up to a limit, at random points"
  package let unit = "fill points"

  package init() {}

  package func count(at scale: CampaignScale) -> Int {
    switch scale {
    case .test: 8
    case .push: 200
    case .release: 5_000
    }
  }

  package func run(_ run: CampaignRun) throws {
    let volume = try SmallVolume(below: run.directory)
    if volume == nil { run.note("NOT TRIED: a full volume, which this process may not mount") }
    var volumeCount = 0
    var limitCount = 0
    while !run.isFinished {
      let seed = run.seed &+ UInt64(run.tried)
      do {
        if let volume, run.tried % 2 == 0 {
          volumeCount += 1
          var fill = FullVolumeRun(on: volume, seed: seed)
          try fill.run()
        } else {
          limitCount += 1
          var fill = LimitedFilesRun(in: run.directory.appending(path: "limited"), seed: seed)
          try fill.run()
        }
      } catch let finding as FaultFinding {
        run.found("seed \(seed), fill point \(run.tried): \(finding.text)")
      } catch {
        run.found("seed \(seed), fill point \(run.tried): \(error)")
      }
      run.tried()
    }
    run.note("\(volumeCount) on a full volume, \(limitCount) at a limit for files")
  }
}
