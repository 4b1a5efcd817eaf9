import EmbeddingFiles
import Synchronization

/// A disk behind a cache, of which a crash may lose or mix up whatever was not synced.
///
/// The live image is what a process sees; the durable one what has reached the medium; between
/// them lie the pending operations, in order. A file's sync makes its bytes durable, a directory's
/// sync its entries, and neither the other's. While it records, every operation adds a
/// `CrashPoint`.
final class SimulatedDisk: Sendable {
  private let state: Mutex<State>
  /// Sets the files of one disk apart from those of another that is in use at the same time.
  let number: UInt64
  /// The promise that it breaks, if any.
  let neglect: Neglect?

  private static let diskCount = Atomic<UInt64>(1 << 32)

  struct State {
    var live: DiskImage
    var durable: DiskImage
    var pending: [DiskOperation] = []
    var nextFile: FileNumber
    var clock: Int64 = 0
    var modified: [FileNumber: Int64] = [:]
    var locks: [FileNumber: ObjectIdentifier] = [:]
    /// Whether the next write to a journal reports an error, though all of its bytes are taken.
    var failsNextJournalWrite = false
    var isRecording = false
    /// How many steps the workload has seen acknowledged, and how many of them must survive.
    var promise = CrashPromise()
    var points: [CrashPoint] = []
  }

  /// A disk as a machine finds it when it starts: all of it is durable.
  convenience init(_ image: DiskImage, neglecting neglect: Neglect? = nil) {
    let image = image.afterRestart
    self.init(live: image, durable: image, pending: [], neglecting: neglect)
  }

  /// A disk that a process left behind when it was killed: the cache is still there.
  init(
    live: DiskImage, durable: DiskImage, pending: [DiskOperation],
    neglecting neglect: Neglect? = nil
  ) {
    self.neglect = neglect
    number = Self.diskCount.add(1, ordering: .relaxed).newValue
    let files = [live, durable].flatMap { $0.contents.keys }
    state = Mutex(
      State(
        live: live, durable: durable, pending: pending, nextFile: (files.max() ?? 0) + 1))
  }

  func withState<Result>(
    _ body: (inout sending State) throws(StorageError) -> sending Result
  ) throws(StorageError) -> sending Result {
    try state.withLock { (state) throws(StorageError) in try body(&state) }
  }

  /// Drops what was not synced of a file's bytes, as some systems do when a sync fails: processes
  /// still see them, and no later sync writes them.
  func forgetUnsynced(_ path: String) {
    state.withLock { state in
      guard let file = state.live.names[path] else { return }
      state.pending.removeAll { $0.file == file }
    }
  }

  // MARK: Recording

  /// Forgets what was recorded and records from now on, or no more.
  func record(_ isRecording: Bool) {
    state.withLock {
      $0.isRecording = isRecording
      $0.points = []
    }
  }

  /// Notes what must survive a crash from now on.
  func promise(_ promise: CrashPromise) {
    state.withLock {
      $0.promise = promise
      $0.addPoint(after: nil)
    }
  }

  /// What was recorded so far.
  var points: [CrashPoint] { state.withLock { $0.points } }
}

extension SimulatedDisk.State {
  /// Carries out a change and records it.
  mutating func perform(_ operation: DiskOperation) {
    live.apply(operation)
    pending.append(operation)
    if let file = operation.file {
      clock += 1
      modified[file] = clock
    }
    addPoint(after: operation)
  }

  /// Makes the pending operations that `isSynced` picks durable.
  mutating func settle(_ isSynced: (DiskOperation) -> Bool) {
    for operation in pending where isSynced(operation) { durable.apply(operation) }
    pending.removeAll(where: isSynced)
    addPoint(after: nil)
  }

  mutating func addPoint(after operation: DiskOperation?) {
    guard isRecording else { return }
    points.append(
      CrashPoint(
        live: live, durable: durable, pending: pending, lastOperation: operation,
        promise: promise))
  }
}
