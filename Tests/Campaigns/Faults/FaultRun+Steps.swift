internal import EmbeddingFiles
internal import EmbeddingStores
internal import EmbeddingTestSupport
internal import Foundation

/// Carrying out steps and noting what they acknowledged.
extension FaultRun {
  /// Carries out a step; answers the error that it ended in, if any. A step for which nothing is
  /// open, because opening failed before, does nothing.
  mutating func attempt(_ step: FaultScript.Step) throws(FaultFinding) -> StoreError? {
    do {
      try carryOut(step)
      return nil
    } catch let error as StoreError {
      return error
    } catch let finding as FaultFinding {
      throw FaultFinding("\(step): \(finding.text)")
    } catch {
      throw FaultFinding("\(step) threw an error of another type: \(error)")
    }
  }

  private mutating func carryOut(_ step: FaultScript.Step) throws {
    switch step {
    case .open: return try openWriter()
    case .openReader: return try openReader()
    case .refreshReader: return try refreshReader()
    case .switchWriter:
      active = 1 - active
      if writers[active] == nil { try openWriter() }
      return
    case .tearTail: return try tearTail()
    case .damageLastCommit: return try damageLastCommit()
    default: break
    }
    guard let handle = writers[active] else { return }
    let store = handle.store
    switch step {
    case .put, .putLarge, .insert, .update, .remove, .removePart, .removeAll, .reconcile:
      try commit(step, to: store)
    case .compact:
      try store.compact()
      try reachedMedium()
    case .synchronize:
      try store.synchronize()
      try reachedMedium()
    case .suspend:
      try store.prepareForSuspension()
      try reachedMedium()
    case .close:
      writers[active] = nil
      try store.close()
      onMedium = [model]
    case .refresh:
      try store.refresh()
      try adopt(active)
    case .backUp: try backUp(handle)
    case .verify:
      if let problem = try store.verify().problems.first { throw problem }
    default: try read(step, handle)
    }
  }

  /// Everything acknowledged is on the medium, and so is what it followed.
  private mutating func reachedMedium() throws(FaultFinding) {
    try adopt(active)
    if let shown = writers[active]?.shown { model = shown }
    doubtful = []
    onMedium = [model]
  }

  // MARK: Commits

  private mutating func commit(_ step: FaultScript.Step, to store: EmbeddingStore) throws {
    guard let commit = makeCommit(step) else { return }
    let journalByteCount = try store.statistics().journalByteCount
    let before = model
    do throws(StoreError) {
      try commit.make(store)
    } catch {
      doubtful.append((applied(commit, to: model), active))
      onMedium.append(applied(commit, to: model))
      throw error
    }
    // A commit that failed in another writer may have been taken in; one of its own may not.
    let others = doubtful.filter { $0.writer != active }.map(\.model)
    let candidates = ([model] + others).map { applied(commit, to: $0) }
    model = try held(by: store, among: candidates)
    doubtful = []
    beforeLast = (before, journalByteCount)
    writers[active]?.shown = model
    onMedium = (script.durability == .powerLoss ? [] : onMedium) + [model]
  }

  private func applied(_ commit: FaultCommit, to model: StoreModel) -> StoreModel {
    var model = model
    commit.apply(&model)
    return model
  }

  // MARK: Reading

  private func read(_ step: FaultScript.Step, _ handle: Handle) throws {
    let store = handle.store
    if let difference = handle.shown.disagreement(with: store) { throw FaultFinding(difference) }
    switch step {
    case .read:
      guard try store.rows(changedSince: 0).count == handle.shown.count else {
        throw FaultFinding("another number of changed rows")
      }
      guard try store.missing(from: ["nowhere"]) == ["nowhere"] else {
        throw FaultFinding("a key that was never stored is not missing")
      }
    case .search:
      guard let key = try store.keys().min() else { return }
      let query = [Float](repeating: 1, count: Self.space.dimension)
      _ = try store.search(for: [query, query], count: 3)
      _ = try store.search(like: key, part: try store.records(for: key)[0].part)
    default:
      guard try store.statistics().rowCount == handle.shown.count else {
        throw FaultFinding("the statistics count other rows")
      }
      _ = (store.openReport, store.needsCompaction, store.lastCompactionError, store.changes)
    }
  }

  private mutating func backUp(_ handle: Handle) throws {
    let copy = "\(path)-copy-\(copyCount)"
    // After one fault the directory is as it was, so that the same one may be tried again.
    if isSticky { copyCount += 1 }
    try handle.store.backup(to: URL(filePath: copy, directoryHint: .isDirectory))
    if !isSticky { copyCount += 1 }
    let store = try EmbeddingStore(
      soundFileSystem, path: copy, space: nil, isReadOnly: true, StoreConfiguration())
    if let difference = handle.shown.disagreement(with: store) {
      throw FaultFinding("a backup has \(difference)")
    }
    guard try store.verify().isIntact else { throw FaultFinding("a backup is not intact") }
  }

  // MARK: Damage

  private mutating func tearTail() throws {
    writers = [nil, nil]
    guard let journal = try journalPath() else { return }
    try change(journal) { bytes in bytes += Array("EJ\u{1}\u{0}an append that was cut short".utf8) }
  }

  /// Only while no fault was hit: afterwards the last commit may lie elsewhere.
  private mutating func damageLastCommit() throws {
    writers = [nil, nil]
    guard faults.failureCount == 0, let (before, offset) = beforeLast,
      let journal = try journalPath()
    else { return }
    try change(journal) { bytes in bytes[offset + 30] ^= 1 }
    do {
      _ = try open(soundFileSystem)
      throw FaultFinding("a damaged journal was opened")
    } catch let error as StoreError {
      guard error.code == .journalCorrupt else { throw error }
    }
    isSalvaging = true
    model = before
    onMedium.append(before)
  }

  private func journalPath() throws -> String? {
    let directory = StoreDirectory(soundFileSystem, path: path)
    guard try soundFileSystem.attributes(of: directory.manifestPath) != nil else { return nil }
    return directory.journalPath(try directory.readManifest().journalGeneration)
  }

  /// Changes the bytes of a file, on the medium too.
  private func change(_ path: String, _ change: (inout [UInt8]) -> Void) throws {
    let file = try soundFileSystem.open(path, .readWrite)
    var bytes = try file.read(at: 0, byteCount: Int(try file.attributes().byteCount))
    change(&bytes)
    try bytes.withRawSpan { (span) throws(StorageError) in try file.write(span, at: 0) }
    try file.sync(.full)
    try file.close()
  }
}
