import Synchronization

/// The mapped bytes of a main file, each 64 KiB block of which is checked against its checksum
/// before its first use in this process.
package final class VerifiedBytes: Sendable {
  package let path: String
  private let bytes: MappedBytes
  private let blockStart: Int
  private let blockEnd: Int
  private let checksums: [UInt32]
  /// 1 for a block that was checked. Two threads may check a block at once; both find the same.
  private let verified: VerifiedFlags

  package init(bytes: MappedBytes, header: MainHeader, path: String) throws(StorageError) {
    self.path = path
    self.bytes = bytes
    blockStart = MainHeader.byteCount
    // The header was checked against the size of the file, which was mapped as a whole.
    blockEnd = Int(header.checksumsOffset)
    let checksumCount = header.checksumCount
    let tableChecksum = header.checksumsChecksum
    let tableStart = blockEnd
    checksums = try bytes.withBytes { (span) throws(StorageError) -> [UInt32] in
      let table = span.extracting(tableStart..<span.byteCount)
      guard Checksum.masked(Checksum.crc32c(table)) == tableChecksum else {
        throw MainHeader.damage(path, "its checksum table does not match its header")
      }
      return (0..<checksumCount).map { table.integer(at: 4 * $0, as: UInt32.self) ?? 0 }
    }
    verified = VerifiedFlags(count: checksumCount)
  }

  package var byteCount: Int { bytes.byteCount }
  package var isHeap: Bool { bytes.isHeap }

  /// Calls `body` with `range` of the file, checked. The range must lie within the sections.
  @inline(__always)
  package func withBytes<Result>(
    _ range: Range<Int>, _ body: (RawSpan) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    guard range.lowerBound >= blockStart, range.upperBound <= blockEnd else {
      throw MainHeader.damage(path, "it refers to bytes outside its sections")
    }
    return try bytes.withBytes { (span) throws(StorageError) -> Result in
      if !range.isEmpty {
        let first = (range.lowerBound - blockStart) / MainHeader.blockByteCount
        let last = (range.upperBound - 1 - blockStart) / MainHeader.blockByteCount
        for block in first...last where !verified[block] {
          try verify(block, in: span)
        }
      }
      return try body(span.extracting(range))
    }
  }

  /// Calls `body` with `range` of the file as it is, for callers who had checked what they read.
  func withUncheckedBytes<Result>(
    _ range: Range<Int>, _ body: (RawSpan) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try bytes.withBytes { (span) throws(StorageError) in try body(span.extracting(range)) }
  }

  package var blockCount: Int { checksums.count }

  /// Checks one block again, whether or not it was checked before.
  package func verifyAgain(block: Int) throws(StorageError) {
    try bytes.withBytes { (span) throws(StorageError) in
      try verify(block, in: span)
    }
  }

  private func verify(_ block: Int, in span: RawSpan) throws(StorageError) {
    let start = blockStart + block * MainHeader.blockByteCount
    let end = min(start + MainHeader.blockByteCount, blockEnd)
    guard
      Checksum.masked(Checksum.crc32c(span.extracting(start..<end))) == checksums[block]
        || Sabotage.skips(.mainFileChecksum)
    else {
      throw MainHeader.damage(path, "bytes \(start) to \(end) do not match their checksum")
    }
    verified.set(block)
  }
}

/// Flags that are set once and never cleared, readable and settable from any thread.
private final class VerifiedFlags: @unchecked Sendable {  // Every element is atomic.
  private let flags: UnsafeMutablePointer<Atomic<Bool>>
  private let count: Int

  init(count: Int) {
    self.count = count
    flags = .allocate(capacity: max(count, 1))
    for index in 0..<count {
      (flags + index).initialize(to: Atomic(false))
    }
  }

  deinit {
    flags.deinitialize(count: count)
    flags.deallocate()
  }

  subscript(index: Int) -> Bool {
    flags[index].load(ordering: .acquiring)
  }

  func set(_ index: Int) {
    flags[index].store(true, ordering: .releasing)
  }
}
