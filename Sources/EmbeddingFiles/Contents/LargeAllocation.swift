import CEmbeddingFiles

/// Memory for many rows, at a cache line, not initialised.
final class LargeAllocation {
  static let hugePageByteCount = 2 << 20

  let base: UnsafeMutableRawPointer

  /// Asks the system to back the memory with huge pages if `prefersHugePages`: one page fault
  /// instead of hundreds while it is filled, and fewer misses while it is read.
  init(byteCount: Int, prefersHugePages: Bool) {
    guard prefersHugePages else {
      base = .allocate(byteCount: byteCount, alignment: 64)
      return
    }
    let page = Self.hugePageByteCount
    let rounded = (byteCount + page - 1) / page * page
    base = .allocate(byteCount: rounded, alignment: page)
    ef_prefer_huge_pages(base, rounded)
  }

  deinit { base.deallocate() }
}
