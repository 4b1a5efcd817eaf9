import CEmbeddingFiles

/// What every system call goes through: the retry after an interruption and the typed error.
enum SystemCall {
  /// What was attempted, worded for "Could not … <path>".
  enum Operation: String, Sendable {
    case open, create, inspect, read, write, sync, resize, map, lock, unlock, close, list, rename
    case remove, exchange
    case createDirectory = "create the directory"
    case syncDirectory = "sync the directory"
    case measureSpace = "measure the free space at"
  }

  /// Repeats `call` while it is interrupted, and throws when it ends in a negative `errno`.
  @discardableResult
  static func retrying<Value: FixedWidthInteger & SignedInteger>(
    _ operation: Operation, _ path: String, _ call: () -> Value
  ) throws(StorageError) -> Value {
    while true {
      let value = call()
      if value >= 0 { return value }
      let errorNumber = Int32(truncatingIfNeeded: 0 - Int64(value))
      if errorNumber != EF_EINTR {
        throw StorageError(operation, path, errorNumber: errorNumber)
      }
    }
  }

  /// Calls `write` with (bytes done, bytes left) until all are written.
  ///
  /// A call that writes nothing is an error: repeating it could go on for ever.
  static func writeAll(
    _ byteCount: Int, _ path: String, _ write: (_ done: Int, _ left: Int) -> Int64
  ) throws(StorageError) {
    var done = 0
    while done < byteCount {
      let count = try retrying(.write, path) { write(done, byteCount - done) }
      guard count > 0 else {
        throw StorageError(
          .inputOutput, path: path,
          """
          Could not write \(path): the system took \(done) of \(byteCount) bytes and then none. \
          Check the volume, then open the store again.
          """)
      }
      done += Int(count)
    }
  }

  /// Calls `read` with (bytes done, bytes left) until all are read or the file ends.
  ///
  /// - Returns: how many bytes were read.
  static func readAll(
    _ byteCount: Int, _ path: String, _ read: (_ done: Int, _ left: Int) -> Int64
  ) throws(StorageError) -> Int {
    var done = 0
    while done < byteCount {
      let count = try retrying(.read, path) { read(done, byteCount - done) }
      if count == 0 { break }
      done += Int(count)
    }
    return done
  }

  /// Calls `body` with a path as the system takes it.
  ///
  /// A NUL would silently cut the path short and name another file, so it is refused.
  static func withPath<Value>(
    _ operation: Operation, _ path: String,
    _ body: (UnsafePointer<CChar>) throws(StorageError) -> Value
  ) throws(StorageError) -> Value {
    guard !path.utf8.contains(0) else {
      throw StorageError(
        .inputOutput, path: path,
        "Could not \(operation.rawValue): the path contains a NUL character. Use another path.",
        systemErrorNumber: Int32(EF_EINVAL))
    }
    let bytes = path.utf8CString
    return try bytes.withUnsafeBufferPointer { buffer throws(StorageError) -> Value in
      guard let base = buffer.baseAddress else {
        throw StorageError(operation, path, errorNumber: Int32(EF_EINVAL))
      }
      return try body(base)
    }
  }

  /// Sleeps the calling thread for less than an hour.
  static func sleep(_ duration: Duration) {
    ef_sleep(UInt64(duration / .nanoseconds(1)))
  }

  /// The process that is running, to recognise a store carried through `fork`.
  static var processIdentifier: Int64 { ef_process_identifier() }
}

extension StorageError {
  /// The error for a system call that failed with `errorNumber`.
  init(_ operation: SystemCall.Operation, _ path: String, errorNumber: Int32) {
    let code = Code(operation, errorNumber: errorNumber)
    let failure = "Could not \(operation.rawValue) \(path)"
    let reason = Self.systemText(errorNumber)
    self.init(
      code, path: path, "\(failure): \(reason). \(Self.advice(for: code, errorNumber))",
      systemErrorNumber: errorNumber)
  }

  /// The error for a call on a file that was closed.
  static func closed(_ path: String) -> StorageError {
    StorageError(.closed, path: path, "\(path) was closed before this call. Open it again.")
  }

  /// The error for changing a file that was opened for reading.
  static func openedForReading(_ path: String) -> StorageError {
    StorageError(
      .readOnly, path: path,
      "\(path) was opened for reading only. Open it for writing to change it.",
      systemErrorNumber: Int32(EF_EBADF))
  }

  /// The error for something other than a file where a file is expected.
  static func notAFile(_ path: String, _ kind: FileAttributes.Kind) -> StorageError {
    let what = kind == .directory ? "a directory" : "a pipe, socket or device"
    return StorageError(
      .notAStore, path: path,
      "\(path) is \(what), where a file is expected. Move it away or use another path.",
      systemErrorNumber: kind == .directory ? Int32(EF_EISDIR) : 0)
  }

  /// The error for a name that is taken.
  package static func somethingIsThere(_ path: String) -> StorageError {
    StorageError(
      .alreadyExists, path: path,
      "Something is there already, and nothing is replaced. Use another name, or remove it first.")
  }

  /// The error for a file shorter than what it should hold.
  static func tooShort(_ path: String, byteCount: UInt64, expected: Int) -> StorageError {
    StorageError(
      .corrupt, path: path,
      """
      \(path) has \(byteCount) bytes where at least \(expected) are expected: it was cut short. \
      Restore it from a copy or rebuild the store.
      """)
  }

  private static func systemText(_ errorNumber: Int32) -> String {
    let capacity = 128
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { text in
      ef_error_text(errorNumber, text.baseAddress, capacity)
      return text.baseAddress.map { String(cString: $0) } ?? "error \(errorNumber)"
    }
  }

  private static func advice(for code: Code, _ errorNumber: Int32) -> String {
    switch code {
    case .notFound: "Check the path, or create the store first."
    case .notADirectory: "A part of the path is a file; use another path."
    case .notAStore: "Move it away or use another path."
    case .permissionDenied: "Give this process access, or use a path that it owns."
    case .protectedDataUnavailable:
      "Unlock the device and try again; on a computer, remove the file's immutable flag."
    case .readOnly: "Open the store read-only, or use a writable volume."
    case .noSpace: "Free some space, then try again; stored data stays readable."
    case .mappingFailed: "Close other stores or use less memory, then try again."
    case .alreadyExists: "Remove what is there first."
    case .unsupportedVolume:
      "The volume can not let two directories change places in one step, as APFS, ext4, XFS, Btrfs "
        + "and tmpfs do. Move the store to such a volume."
    default: "Check the volume, then open the store again."
    }
  }
}

extension StorageError.Code {
  fileprivate init(_ operation: SystemCall.Operation, errorNumber: Int32) {
    switch Int(errorNumber) {
    case EF_ENOENT: self = .notFound
    case EF_ENOTDIR: self = .notADirectory
    case EF_EEXIST: self = .alreadyExists
    case EF_EISDIR, EF_ENXIO: self = .notAStore
    case EF_EACCES: self = .permissionDenied
    // Apple platforms answer so while the device is locked.
    case EF_EPERM where operation == .open || operation == .create: self = .protectedDataUnavailable
    case EF_EPERM: self = .permissionDenied
    case EF_EROFS: self = .readOnly
    case EF_ENOSPC, EF_EDQUOT, EF_EFBIG: self = .noSpace
    case _ where operation == .map: self = .mappingFailed
    case EF_ENOSYS where operation == .exchange, EF_EINVAL where operation == .exchange,
      EF_ENOTSUP where operation == .exchange:
      self = .unsupportedVolume
    default: self = .inputOutput
    }
  }
}
