package import EmbeddingFiles
internal import Synchronization

/// A file system whose calls fail when a test says so, and which counts them.
///
/// A failing write leaves half of its bytes behind, as a full or failing disk may.
package final class FaultyFileSystem: FileSystem {
  /// A call of `FileSystem` or of one of its files.
  package enum Call: String, CaseIterable, Sendable {
    case open, create, inspect, createDirectory, list, rename, unlink, syncDirectory, measureSpace
    case inspectFile, read, write, sync, truncate, map, tryLock, unlock, close
  }

  /// Which call fails, and how.
  package struct Fault: Sendable {
    /// Only calls of these kinds are counted; nil counts all.
    package var calls: Set<Call>?
    /// Only calls on paths that end so are counted; nil counts all.
    package var pathSuffix: String?
    /// The first call counted is number 1.
    package var number: Int
    /// Whether all later calls counted fail too.
    package var isSticky: Bool
    package var code: StorageError.Code
    package var errorNumber: Int32

    package init(
      _ call: Call?, onPath pathSuffix: String? = nil, number: Int = 1, isSticky: Bool = false,
      code: StorageError.Code, errorNumber: Int32
    ) {
      calls = call.map { [$0] }
      self.pathSuffix = pathSuffix
      self.number = number
      self.isSticky = isSticky
      self.code = code
      self.errorNumber = errorNumber
    }

    package init(
      among calls: Set<Call>, number: Int, isSticky: Bool, code: StorageError.Code,
      errorNumber: Int32
    ) {
      self.calls = calls
      self.number = number
      self.isSticky = isSticky
      self.code = code
      self.errorNumber = errorNumber
    }

    package static func noSpace(
      _ call: Call? = .write, number: Int = 1, isSticky: Bool = false
    ) -> Fault {
      Fault(call, number: number, isSticky: isSticky, code: .noSpace, errorNumber: 28)
    }

    package static func inputOutput(
      _ call: Call?, number: Int = 1, isSticky: Bool = false
    ) -> Fault {
      Fault(call, number: number, isSticky: isSticky, code: .inputOutput, errorNumber: 5)
    }

    /// What Apple platforms answer while the device is locked.
    package static func protected(isSticky: Bool) -> Fault {
      Fault(
        .open, isSticky: isSticky, code: .protectedDataUnavailable, errorNumber: 1)
    }
  }

  private struct State {
    var faults: [(fault: Fault, countedCalls: Int)] = []
    var failureCount = 0
    var calls: [Call: Int] = [:]
  }

  let base: any FileSystem
  private let state = Mutex(State())
  private let onFailure: @Sendable (Call, _ path: String) -> Void

  /// Calls `onFailure` with each call that fails, before it throws.
  package init(
    _ base: any FileSystem,
    onFailure: @escaping @Sendable (Call, _ path: String) -> Void = { _, _ in }
  ) {
    self.base = base
    self.onFailure = onFailure
  }

  /// Sets the faults to come, each counted from now on; none lets every call through.
  package func setFaults(_ faults: Fault...) {
    state.withLock { state in
      state.faults = faults.map { ($0, 0) }
      state.failureCount = 0
    }
  }

  /// Lets every call through; what failed stays counted.
  package func endFaults() {
    state.withLock { $0.faults = [] }
  }

  /// Calls that failed since the fault was set.
  package var failureCount: Int { state.withLock { $0.failureCount } }

  /// Calls of a kind so far, failed ones included.
  package func count(of call: Call) -> Int { state.withLock { $0.calls[call, default: 0] } }

  /// Throws when this call is the one to fail.
  func check(_ call: Call, _ path: String) throws(StorageError) {
    let fault: Fault? = state.withLock { state in
      state.calls[call, default: 0] += 1
      for index in state.faults.indices {
        let fault = state.faults[index].fault
        guard fault.calls?.contains(call) ?? true,
          fault.pathSuffix.map(path.hasSuffix) ?? true
        else { continue }
        state.faults[index].countedCalls += 1
        let count = state.faults[index].countedCalls
        guard fault.isSticky ? count >= fault.number : count == fault.number else { continue }
        state.failureCount += 1
        return fault
      }
      return nil
    }
    guard let fault else { return }
    onFailure(call, path)
    throw StorageError(
      fault.code, path: path, "The test made \(call.rawValue) fail.",
      systemErrorNumber: fault.errorNumber)
  }

  // MARK: FileSystem

  package func open(_ path: String, _ access: FileAccess) throws(StorageError) -> any File {
    try check(access == .create ? .create : .open, path)
    return FaultyFile(try base.open(path, access), self)
  }

  package func attributes(of path: String) throws(StorageError) -> FileAttributes? {
    try check(.inspect, path)
    return try base.attributes(of: path)
  }

  package func createDirectory(_ path: String) throws(StorageError) {
    try check(.createDirectory, path)
    try base.createDirectory(path)
  }

  package func list(_ directory: String) throws(StorageError) -> [String] {
    try check(.list, directory)
    return try base.list(directory)
  }

  package func rename(_ source: String, to destination: String) throws(StorageError) {
    try check(.rename, destination)
    try base.rename(source, to: destination)
  }

  package func rename(
    _ source: String, toFreeName destination: String
  ) throws(StorageError) {
    try check(.rename, destination)
    try base.rename(source, toFreeName: destination)
  }

  package func unlink(_ path: String) throws(StorageError) {
    try check(.unlink, path)
    try base.unlink(path)
  }

  package func syncDirectory(_ path: String) throws(StorageError) {
    try check(.syncDirectory, path)
    try base.syncDirectory(path)
  }

  package func availableByteCount(at directory: String) throws(StorageError) -> UInt64 {
    try check(.measureSpace, directory)
    return try base.availableByteCount(at: directory)
  }
}
