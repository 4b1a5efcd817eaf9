import EmbeddingFiles

/// An open file of a `SimulatedDisk`.
final class SimulatedFile: File {
  let path: String
  private let disk: SimulatedDisk
  private let file: FileNumber

  init(_ disk: SimulatedDisk, _ file: FileNumber, path: String) {
    self.disk = disk
    self.file = file
    self.path = path
  }

  deinit { try? unlock() }

  func attributes() throws(StorageError) -> FileAttributes {
    try disk.withState { (state) throws(StorageError) in state.attributes(of: file, disk.number) }
  }

  func read(at offset: UInt64, byteCount: Int) throws(StorageError) -> [UInt8] {
    try disk.withState { (state) throws(StorageError) in
      let bytes = state.live.contents[file] ?? []
      guard let start = Int(exactly: offset), start < bytes.count else { return [] }
      return Array(bytes[start..<min(bytes.count, start + byteCount)])
    }
  }

  func write(_ bytes: RawSpan, at offset: UInt64) throws(StorageError) {
    let copy = bytes.withUnsafeBytes { Array($0) }
    guard !copy.isEmpty else { return }
    try disk.withState { (state) throws(StorageError) in
      state.perform(.write(file, at: Int(offset), copy))
      if state.failsNextJournalWrite, path.contains("journal-") {
        state.failsNextJournalWrite = false
        throw StorageError(.inputOutput, path: path, "The simulated disk failed a write.")
      }
    }
  }

  func sync(_ level: SyncLevel) throws(StorageError) {
    try disk.withState { (state) throws(StorageError) in
      switch level {
      case .full:
        let purpose = Neglect(
          syncing: path, byteCount: state.live.contents[file]?.count ?? 0,
          isFirst: state.durable.contents[file]?.isEmpty ?? true)
        if disk.neglect != purpose { state.settle { $0.isSettled(bySyncOf: file) } }
      case .barrier:
        state.perform(.barrier(file))
      }
    }
  }

  func truncate(to byteCount: UInt64) throws(StorageError) {
    try disk.withState { (state) throws(StorageError) in
      state.perform(.resize(file, Int(byteCount)))
    }
  }

  func map(byteCount: Int, mode: MapMode) throws(StorageError) -> MappedBytes {
    let bytes = try read(at: 0, byteCount: byteCount)
    guard bytes.count == byteCount else {
      throw StorageError(.corrupt, path: path, "The file is shorter than what is to be mapped.")
    }
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 64)
    block.copyBytes(from: bytes)
    return MappedBytes(
      base: UnsafeRawPointer(block.baseAddress), byteCount: byteCount, isHeap: true
    ) { base, _ in UnsafeMutableRawPointer(mutating: base)?.deallocate() }
  }

  func tryLock() throws(StorageError) -> Bool {
    try disk.withState { (state) throws(StorageError) in
      let owner = ObjectIdentifier(self)
      guard state.locks[file] == nil || state.locks[file] == owner else { return false }
      state.locks[file] = owner
      return true
    }
  }

  func unlock() throws(StorageError) {
    try disk.withState { (state) throws(StorageError) in
      if state.locks[file] == ObjectIdentifier(self) { state.locks[file] = nil }
    }
  }

  func close() throws(StorageError) { try unlock() }
}
