internal import EmbeddingStores
internal import EmbeddingTestSupport
internal import Foundation

/// Processes that read one store share its main file in memory: what each has of its own stays
/// small.
struct ReadersCampaign: Campaign {
  let name = "readers"
  let purpose = "open a store in many processes at once, and look what memory each has alone"
  let unit = "processes"

  private static let mostByteCount = 5 << 20

  func count(at scale: CampaignScale) -> Int {
    scale == .test ? 5 : 50
  }

  func run(_ run: CampaignRun) throws {
    guard ProcessFiles.exist else {
      run.note("Not tried: the system does not say here what memory a process has alone.")
      run.tried(run.count)
      return
    }
    let megabytes = run.count < 50 ? 2 : 32
    let url = run.directory.appending(path: "store", directoryHint: .isDirectory)
    try fill(url, rowCount: megabytes << 11)

    let processes = try (0..<run.count).map { _ in try Worker(["read-later", url.path]) }
    let before = try processes.map { process in
      guard process.readLine() == "ready" else { throw CocoaError(.executableLoad) }
      return ProcessFiles.anonymousByteCount(process.processIdentifier)
    }
    for process in processes {
      let answer = try process.ask("open")
      if answer != "ok" { run.found("A reader process says \(answer ?? "nothing").") }
    }
    var added: [Int] = []
    for (process, before) in zip(processes, before) {
      let after = ProcessFiles.anonymousByteCount(process.processIdentifier)
      guard let before, let after else {
        run.found("The memory of a reader process is not known.")
        continue
      }
      added.append(after - before)
      run.tried()
    }
    for process in processes where process.wait() != 0 { run.found("A reader process failed.") }
    added.sort()
    guard let largest = added.last else { return }
    run.note(
      "\(megabytes) MB of rows; of its own a process adds at most \(largest >> 10) KiB, "
        + "in the median \(added[added.count / 2] >> 10) KiB")
    // A sanitizer keeps freed memory back.
    if largest > Self.mostByteCount, !isSanitized {
      run.found("A process that reads has \(largest >> 10) KiB more of its own.")
    }
  }

  private func fill(_ url: URL, rowCount: Int) throws {
    let store = try EmbeddingStore(at: url, space: RewrittenRecords.space)
    for commit in 0..<RewrittenRecords.chunkCount {
      try store.put(RewrittenRecords.commit(commit, of: rowCount))
    }
    try store.compact()
    try store.close()
  }
}
