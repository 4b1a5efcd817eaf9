internal import Dispatch
internal import EmbeddingStores
internal import EmbeddingTestSupport
internal import Foundation
internal import Synchronization

/// A suspension in the middle of a compaction on another thread.
struct SuspensionCheck {
  let store: EmbeddingStore
  let url: URL
  let witness: LockWitness

  func run(_ run: CampaignRun) throws {
    try store.put((0..<4_096).map { RewrittenRecords.record($0, version: 1) })
    let isUnderWay = DispatchSemaphore(value: 0)
    let hasEnded = DispatchSemaphore(value: 0)
    let outcome = Mutex("nothing")
    DispatchQueue.global().async {
      let ending: String
      do throws(StoreError) {
        try store.compact { _ in
          isUnderWay.signal()
          usleep(2_000)
        }
        ending = "success"
      } catch {
        ending = error.code.rawValue
      }
      outcome.withLock { $0 = ending }
      hasEnded.signal()
    }
    isUnderWay.wait()
    try store.prepareForSuspension()
    let suspended = try DirectoryImage(url)
    if let file = try witness.lockedFile() { run.found("After a suspension: locked: \(file)") }
    usleep(100_000)
    if try DirectoryImage(url) != suspended { run.found("Something was written in suspension.") }
    hasEnded.wait()
    let ending = outcome.withLock { $0 }
    if ending != StoreError.Code.cancelled.rawValue {
      run.found("The compaction under way at a suspension ended with \(ending).")
    }
    try store.put(RewrittenRecords.record(0, version: 2))
    guard try store.compact(), try store.count() == 4_096, try store.verify().isIntact else {
      run.found("The store does not work on after a suspension.")
      return
    }
    run.tried()
  }
}
