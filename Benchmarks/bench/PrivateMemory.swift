import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// Memory that is this process's own, as Linux counts it; mapped files are not in it.
enum PrivateMemory {
  /// Bytes in use now, after giving back what was freed; nil where the system does not say.
  static func byteCount() -> Int? {
    giveBackFreedMemory()
    guard let text = try? String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)
    else { return nil }
    for line in text.split(separator: "\n") where line.hasPrefix("Private_Dirty:") {
      return line.split(separator: " ").compactMap { Int($0) }.first.map { $0 * 1_024 }
    }
    return nil
  }

  /// Without it, memory that was freed before would hide what is allocated later.
  private static func giveBackFreedMemory() {
    #if canImport(Glibc)
      // <malloc.h> is not in the Glibc module.
      guard let symbol = dlsym(nil, "malloc_trim") else { return }
      typealias Trim = @convention(c) (Int) -> Int32
      _ = unsafeBitCast(symbol, to: Trim.self)(0)
    #endif
  }

  /// What `body` added to it.
  static func growth(_ body: () throws -> Void) rethrows -> Int? {
    let before = byteCount()
    try body()
    guard let before, let after = byteCount() else { return nil }
    return after - before
  }
}
