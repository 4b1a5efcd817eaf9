internal import EmbeddingFiles
internal import EmbeddingStores
internal import EmbeddingTestSupport

/// One script on one store, with what the store may hold after each step.
struct FaultRun {
  /// A store object and what it must show.
  struct Handle {
    let store: EmbeddingStore
    var shown: StoreModel
  }

  let script: FaultScript
  /// Where the store goes, and its copies.
  let path: String
  let disk: SimulatedDisk
  /// The disk's file system with the faults.
  let fileSystem: any FileSystem
  /// The same without.
  let soundFileSystem: any FileSystem
  let faults: any FaultSource
  let isSticky: Bool
  var generator: SeededGenerator

  var writers: [Handle?] = [nil, nil]
  var active = 0
  var reader: Handle?
  /// What was acknowledged.
  var model = StoreModel()
  /// What the store may hold instead, with the writer whose failed commit would be in it.
  var doubtful: [(model: StoreModel, writer: Int)] = []
  /// What a power failure may leave.
  var onMedium = [StoreModel()]
  /// What was acknowledged before the last commit, and where that begins in the journal.
  var beforeLast: (model: StoreModel, journalByteCount: Int)?
  /// Whether a store was ever opened, and so can be read.
  var wasCreated = false
  var isSalvaging = false
  var recordCount = 0
  var copyCount = 0

  /// Runs the script and what must work after it.
  mutating func run() throws(FaultFinding) {
    try runSteps()
    faults.end()
    try checkEnd()
  }

  mutating func runSteps() throws(FaultFinding) {
    for (step, next) in zip(script.steps, script.steps.dropFirst().map(Optional.some) + [nil]) {
      if case .switchWriter = next {
        try perform(step, goesOnElsewhere: true)
      } else {
        try perform(step)
      }
    }
  }

  /// Carries out one step; when a fault made it fail and is gone, it must succeed the next time, on
  /// the same store object or on one opened anew; unless the script goes on with the other writer,
  /// which must do without that.
  private mutating func perform(
    _ step: FaultScript.Step, goesOnElsewhere: Bool = false
  ) throws(FaultFinding) {
    let faultCount = faults.failureCount
    guard let error = try attempt(step) else {
      if faults.failureCount > faultCount { try checkHandles("after \(step)") }
      return
    }
    try check(error, of: step)
    try checkHandles("after \(step) failed")
    if faults.failureCount > faultCount { try checkMedium() }
    guard !isSticky, !goesOnElsewhere else { return }
    try settleDoubts()
    guard let second = try attempt(step) else { return }
    guard second.code == .previousInputOutputError else {
      throw FaultFinding("\(step) failed again without a fault: \(second)")
    }
    if let third = try attempt(.open) {
      throw FaultFinding("opening failed without a fault: \(third)")
    }
    if let fourth = try attempt(step) {
      throw FaultFinding("\(step) failed on a store opened anew: \(fourth)")
    }
  }

  /// An error must be that of the fault, or follow from an earlier one.
  private func check(_ error: StoreError, of step: FaultScript.Step) throws(FaultFinding) {
    guard faults.failureCount > 0 else {
      throw FaultFinding("\(step) failed without a fault: \(error)")
    }
    let isLater = error.code == .previousInputOutputError
    let isMissing = error.code == .notFound && !wasCreated
    guard isLater || isMissing || faults.expects(error) else {
      throw FaultFinding("\(step) failed for another reason than the fault: \(error)")
    }
    guard !error.message.isEmpty else { throw FaultFinding("\(step) failed without a message") }
  }

  /// Whoever may go on writing says so by refreshing, and then nothing is in doubt.
  private mutating func settleDoubts() throws(FaultFinding) {
    guard let handle = writers[active] else { return }
    do throws(StoreError) {
      try handle.store.refresh()
    } catch {
      if error.code == .previousInputOutputError { return }
      throw FaultFinding("refreshing failed without a fault: \(error)")
    }
    doubtful.removeAll { $0.writer == active }
    try adopt(active)
  }

  // MARK: Checks

  /// Every store object shows what it did, or what it took in from another before it failed.
  mutating func checkHandles(_ moment: String) throws(FaultFinding) {
    for writer in writers.indices {
      guard let handle = writers[writer] else { continue }
      let others = doubtful.filter { $0.writer != writer }.map(\.model)
      do throws(FaultFinding) {
        let shown = try held(by: handle.store, among: [handle.shown, model] + others)
        writers[writer]?.shown = shown
      } catch {
        throw FaultFinding("\(moment) an open store is wrong: \(error.text)")
      }
    }
    if let reader, let difference = reader.shown.disagreement(with: reader.store) {
      throw FaultFinding("\(moment) a reader shows \(difference)")
    }
  }

  /// What a power failure would leave now opens, and holds what it may.
  func checkMedium() throws(FaultFinding) {
    do {
      let image = try disk.withState { $0.durable }
      let store = try open(SimulatedFileSystem(SimulatedDisk(image)))
      guard onMedium.contains(where: { $0.disagreement(with: store) == nil }) else {
        let difference = onMedium.last?.disagreement(with: store) ?? ""
        throw FaultFinding("after a power failure the store has \(difference)")
      }
      let report = try store.verify()
      guard report.isIntact else { throw FaultFinding("after a power failure: \(report.problems)") }
    } catch let finding as FaultFinding {
      throw finding
    } catch {
      throw FaultFinding("after a power failure: \(error)")
    }
  }

  /// The faults are gone: the store is whole, and everything works.
  private mutating func checkEnd() throws(FaultFinding) {
    try checkHandles("at the end")
    try checkMedium()
    if let error = try attempt(.put(1)) {
      let isExpected = error.code == .previousInputOutputError && faults.failureCount > 0
      guard isExpected else { throw FaultFinding("a put at the end failed: \(error)") }
      try checkHandles("after a put at the end failed")
    }
    for step in [FaultScript.Step.open, .verify, .put(2), .remove, .compact, .verify, .close] {
      if let error = try attempt(step) { throw FaultFinding("\(step) at the end failed: \(error)") }
      try checkMedium()
    }
    writers = [nil, nil]
    reader = nil
    if let error = try attempt(.open) { throw FaultFinding("opening at the end failed: \(error)") }
    let names = (try? soundFileSystem.list(path)) ?? []
    guard names.count == 4 else { throw FaultFinding("files are left over: \(names.sorted())") }
  }
}
