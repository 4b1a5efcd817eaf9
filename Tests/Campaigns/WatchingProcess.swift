internal import EmbeddingTestSupport

/// A process that looks at a store until its input ends.
enum WatchingProcess {
  /// Reads what it says until it ends, so that it never waits for a full pipe; answers how often it
  /// looked.
  static func read(_ process: Worker, _ run: CampaignRun) -> Int {
    var lookCount = 0
    while let line = process.readLine() {
      if let number = Int(line) { lookCount = number } else { run.found(line) }
    }
    let code = process.wait()
    if code != 0 { run.found("A reader process ended with \(code).") }
    if lookCount == 0 { run.found("A reader process looked at nothing.") }
    return lookCount
  }
}
