internal import Dispatch
internal import EmbeddingTestSupport
package import Foundation
internal import Synchronization

/// One run of a campaign: what it was asked for, and what it has found so far. Any thread may
/// count and report.
package final class CampaignRun: Sendable {
  /// How often to try.
  package let count: Int
  package let seed: UInt64
  /// A directory of the run's own on a real file system, removed afterwards.
  package let directory: URL
  private let state = Mutex(State())

  private struct State {
    var tried = 0
    var findings: [String] = []
    var notes: [String] = []
  }

  /// More findings than these help nobody.
  static let mostFindings = 20

  init(count: Int, seed: UInt64, below parent: URL?) {
    self.count = count
    self.seed = seed
    directory = (parent ?? FileManager.default.temporaryDirectory).appending(
      path: "campaign-\(UInt64.random(in: .min ... .max))", directoryHint: .isDirectory)
  }

  /// Counts tries that are done.
  package func tried(_ count: Int = 1) {
    state.withLock { $0.tried += count }
  }

  /// Reports something that must not be, and how to see it again.
  package func found(_ finding: String) {
    state.withLock { $0.findings.append(finding) }
  }

  /// Adds a line to the report, such as a figure or what could not be tried here.
  package func note(_ line: String) {
    state.withLock { $0.notes.append(line) }
  }

  package var tried: Int { state.withLock { $0.tried } }
  package var findings: [String] { state.withLock { $0.findings } }
  var notes: [String] { state.withLock { $0.notes } }

  /// Whether to stop: enough was tried, or enough found.
  package var isFinished: Bool {
    state.withLock { $0.tried >= count || $0.findings.count >= Self.mostFindings }
  }

  var hasFoundEnough: Bool { state.withLock { $0.findings.count >= Self.mostFindings } }

  /// Calls `body` with 0, 1, ... `count - 1` on every core, until the run is finished. An error
  /// becomes a finding.
  func onEveryCore(_ count: Int, _ body: @Sendable (Int) throws -> Void) {
    DispatchQueue.concurrentPerform(iterations: count) { number in
      if isFinished { return }
      do {
        try body(number)
      } catch {
        found("Number \(number) stopped: \(error)")
      }
    }
  }

  /// Random numbers for one part of the run, the same for the same seed in whatever order parts run.
  func generator(_ part: Int...) -> SeededGenerator {
    SeededGenerator(seed: part.reduce(seed) { $0 &* 0x9e37_79b9_7f4a_7c15 &+ UInt64($1) })
  }

  func inScratchDirectory(_ body: () throws -> Void) throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try body()
  }
}
