internal import EmbeddingFiles
internal import EmbeddingStores
internal import EmbeddingTestSupport

/// What makes calls fail while a script runs.
protocol FaultSource {
  /// Calls that failed so far.
  var failureCount: Int { get }
  /// Whether an error is what the fault should lead to.
  func expects(_ error: StoreError) -> Bool
  /// Lets every call through from now on.
  func end()
}

/// Faults at the seam below the store.
struct SeamFaults: FaultSource {
  private let fileSystem: FaultyFileSystem
  private let kind: FaultKind

  init(_ fileSystem: FaultyFileSystem, _ kind: FaultKind, number: Int, isSticky: Bool) {
    self.fileSystem = fileSystem
    self.kind = kind
    fileSystem.setFaults(kind.fault(number: number, isSticky: isSticky))
  }

  var failureCount: Int { fileSystem.failureCount }

  func expects(_ error: StoreError) -> Bool {
    error.code.rawValue == kind.code.rawValue && error.systemErrorNumber == kind.errorNumber
  }

  /// Moves the fault beyond every call, so that the count of failures stays.
  func end() { fileSystem.endFaults() }
}
