#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Memory between two pages that nobody may touch: a read or write outside ends the process.
final class FencedMemory {
  private let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
  private let base: UnsafeMutableRawPointer
  private let innerCount: Int

  /// Room for `byteCount` bytes.
  init(byteCount: Int) {
    innerCount = (byteCount + pageSize - 1) / pageSize * pageSize
    let flags = MAP_PRIVATE | MAP_ANON
    let mapped = mmap(nil, innerCount + 2 * pageSize, PROT_READ | PROT_WRITE, flags, -1, 0)
    guard let mapped, mapped != MAP_FAILED else { fatalError("mmap: \(errno)") }
    base = mapped
    guard mprotect(base, pageSize, PROT_NONE) == 0,
      mprotect(base + pageSize + innerCount, pageSize, PROT_NONE) == 0
    else { fatalError("mprotect: \(errno)") }
  }

  deinit { munmap(base, innerCount + 2 * pageSize) }

  /// `count` elements that start right behind the first fence.
  func first<T>(_ count: Int, of type: T.Type) -> UnsafeMutablePointer<T> {
    (base + pageSize).assumingMemoryBound(to: type)
  }

  /// `count` elements that end right before the second fence.
  func last<T>(_ count: Int, of type: T.Type) -> UnsafeMutablePointer<T> {
    (base + pageSize + innerCount - count * MemoryLayout<T>.size).assumingMemoryBound(to: type)
  }
}
