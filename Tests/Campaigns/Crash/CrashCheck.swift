import EmbeddingStores
import EmbeddingTestSupport
import Foundation

/// What a store must do after a crash, tried on one disk.
struct CrashCheck {
  /// The states that it may have, each a step after the one before.
  let states: [CrashState]
  let allowed: ClosedRange<Int>
  /// How many backups must be whole; nil where nothing is known of them.
  var backupCount: Int?

  /// Opens the store on the disk, compares it, and writes to it. Answers what is wrong, or nil.
  func problem(on disk: SimulatedDisk) -> String? {
    do {
      // Looking on must work before anything was repaired.
      if let reader = try reader(on: disk), try state(of: reader) == nil {
        return try surprise(in: reader, "A reader")
      }
      var session = try CrashSession(disk, .powerLoss, StoreModel())
      guard let found = try state(of: session.store) else {
        return try surprise(in: session.store, "The store")
      }
      if let problem = try session.store.verify().problems.first {
        return "Verification finds: \(problem)"
      }
      session.model = states[found].model
      try session.put([session.makeRecord("after the crash")])
      let expected = session.model.recordsByKey()
      guard try session.store.allRecords() == expected else {
        return try surprise(in: session.store, "After a put the store")
      }
      let again = try CrashSession.open(disk, isReadOnly: true)
      guard try again.allRecords() == expected else {
        return try surprise(in: again, "Opened again the store")
      }
      return try garbage(on: disk) ?? backupProblem(on: disk)
    } catch {
      return "It throws: \(error)"
    }
  }

  /// The store opened for reading; nil when there is none yet and there need be none.
  private func reader(on disk: SimulatedDisk) throws -> EmbeddingStore? {
    do {
      return try CrashSession.open(disk, isReadOnly: true)
    } catch let error as StoreError where error.code == .notFound {
      guard allowed.lowerBound == 0, states[0].model.count == 0 else { throw error }
      return nil
    }
  }

  /// Which of the allowed states a store has.
  func state(of store: EmbeddingStore) throws -> Int? {
    let records = try store.allRecords()
    return allowed.last { states[$0].records == records }
  }

  private func surprise(in store: EmbeddingStore, _ who: String) throws -> String {
    let keys = try store.keys().sorted()
    let records = try store.allRecords()
    let state = states.lastIndex { $0.records == records }
    return "\(who) has state \(state.map(String.init) ?? "unknown") (keys \(keys)), "
      + "not one of \(allowed)."
  }

  /// A backup is whole, or no store.
  private func backupProblem(on disk: SimulatedDisk) throws -> String? {
    guard let backupCount else { return nil }
    let paths = try disk.withState { $0.live.directories.filter { $0.hasPrefix("/backup") } }
    var wholeCount = 0
    for path in paths.sorted() {
      do {
        let backup = try CrashSession.open(disk, isReadOnly: true, path: path)
        let records = try backup.allRecords()
        guard states.contains(where: { $0.records == records }) else {
          return try surprise(in: backup, path)
        }
        wholeCount += 1
      } catch let error as StoreError where error.code == .notFound {
        continue
      }
    }
    return wholeCount < backupCount ? "Of \(backupCount) backups \(wholeCount) are whole." : nil
  }

  /// Names that nothing needs any more.
  private func garbage(on disk: SimulatedDisk) throws -> String? {
    let names = try SimulatedFileSystem(disk).list(CrashSession.path).sorted()
    guard names.count == 4, names[0] == "LOCK", names[1] == "MANIFEST" else {
      return "After a put the directory holds \(names)."
    }
    return nil
  }
}

extension EmbeddingReader {
  /// All records by the bytes of their key, as `StoreModel` has them.
  func allRecords() throws -> [[UInt8]: [Record]] {
    var records: [[UInt8]: [Record]] = [:]
    let snapshot = try snapshot()
    for key in try snapshot.keys() { records[Array(key.utf8)] = try snapshot.records(for: key) }
    return records
  }
}
