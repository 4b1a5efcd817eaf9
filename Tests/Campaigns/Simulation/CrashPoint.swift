/// A moment at which the power may fail or the process may be killed.
struct CrashPoint: Sendable {
  let live: DiskImage
  let durable: DiskImage
  let pending: [DiskOperation]
  /// The operation that was just done; nil after a sync and after an acknowledgement.
  let lastOperation: DiskOperation?
  let promise: CrashPromise
}

/// Which states of the workload a store may have after a crash: after how many of its steps.
struct CrashPromise: Equatable, Sendable {
  /// Steps that were acknowledged: all of them are there when only the process was killed.
  var acknowledged = 0
  /// Steps that must be there when the power failed.
  var durable = 0
  /// Steps that were begun: no more are there.
  var begun = 0
  /// Backups that were acknowledged, and are whole after any crash.
  var backupCount = 0
}

/// What may become of a pending operation in a crash.
enum OperationFate: Hashable, Sendable {
  case lost
  case whole
  /// The first bytes of a write arrived.
  case torn(Int)
  /// The file grew as far as the write goes, and shows this byte instead.
  case sizeOnly(UInt8)
}

extension CrashPoint {
  /// The disk after a crash in which the pending operations had these fates.
  ///
  /// A barrier holds: when an operation before it was lost, so are the ones behind it.
  func image(_ fates: [OperationFate]) -> DiskImage {
    var image = durable
    var incomplete: Set<FileNumber> = []
    for (operation, fate) in zip(pending, fates) {
      if case .barrier(let file) = operation, incomplete.contains(file) { break }
      if fate != .whole, let file = operation.file { incomplete.insert(file) }
      switch (fate, operation) {
      case (.lost, _): continue
      case (.torn(let count), .write(let file, let offset, let bytes)):
        image.write(bytes.prefix(count), to: file, at: offset)
      case (.sizeOnly(let byte), .write(let file, let offset, let bytes)):
        let end = offset + bytes.count
        if image.contents[file, default: []].count < end {
          image.resize(file, to: end, filling: byte)
        }
      default: image.apply(operation)
      }
    }
    return image
  }
}
