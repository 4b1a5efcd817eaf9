internal import EmbeddingStores
internal import EmbeddingTestSupport
internal import Foundation

/// No call leaves a lock behind, whether it succeeds or fails, and a store that is ready for
/// suspension has nothing going on (B13, R10).
struct LocksCampaign: Campaign {
  let name = "locks"
  let purpose = "look for locks after every kind of call, and for work after a suspension"
  let unit = "calls"

  func count(at scale: CampaignScale) -> Int { LockedCall.all.count + 1 }

  func run(_ run: CampaignRun) throws {
    if !ProcessFiles.exist { run.note("No list of locks here: only another process looked.") }
    let url = run.directory.appending(path: "store", directoryHint: .isDirectory)
    var configuration = StoreConfiguration()
    configuration.lockTimeout = .milliseconds(20)
    configuration.compaction = .manual
    let store = try EmbeddingStore(
      at: url, space: RewrittenRecords.space, configuration: configuration)
    let witness = try LockWitness(url)
    let suspension = SuspensionCheck(store: store, url: url, witness: witness)
    try suspension.run(run)
    for call in LockedCall.all {
      var code: StoreError.Code?
      do {
        try call.body(store, url)
      } catch let error as StoreError {
        code = error.code
      }
      if code != call.code {
        run.found("\(call.name) ended with \(code?.rawValue ?? "success")")
      }
      if let file = try witness.lockedFile() { run.found("After \(call.name): locked: \(file)") }
      run.tried()
    }
  }
}
