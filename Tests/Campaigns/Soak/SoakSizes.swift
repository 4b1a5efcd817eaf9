internal import Foundation

/// What the directory of a store takes while it is used, beside what its live rows need.
struct SoakSizes {
  private let url: URL
  private let liveByteCount: Int
  private var largest = 0
  private var sampleCount = 0

  private static let mostShare = 2.5
  /// LOCK has ballast, whatever the store holds.
  private static let ballastByteCount = 65_536

  init(_ url: URL, liveByteCount: Int) {
    self.url = url
    self.liveByteCount = liveByteCount
  }

  mutating func sample() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
    let byteCount = names.reduce(0) { sum, name in
      let path = url.appending(path: name).path
      // A file may be gone since.
      let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
      return sum + (size ?? 0)
    }
    largest = max(largest, byteCount - Self.ballastByteCount)
    sampleCount += 1
  }

  func report(to run: CampaignRun) {
    let share = Double(largest) / Double(liveByteCount)
    let rounded = (share * 100).rounded() / 100
    run.note(
      "the directory took at most \(rounded) times the live data of \(liveByteCount >> 10) KiB "
        + "(\(sampleCount) samples)")
    if share > Self.mostShare { run.found("The directory took \(rounded) times the live data.") }
  }
}
