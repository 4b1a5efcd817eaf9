internal import CEmbeddingMemory

/// Uninitialised elements that start at a cache line and, many of them, go back to the system when
/// the buffer is released. For use by one thread at a time; who keeps `base` keeps the buffer.
final class LargeBuffer<Element: BitwiseCopyable> {
  let base: UnsafeMutablePointer<Element>
  private let byteCount: Int

  init(count: Int) {
    byteCount = max(count, 1) * MemoryLayout<Element>.stride
    base = em_take(byteCount).bindMemory(to: Element.self, capacity: max(count, 1))
  }

  deinit { em_free(base, byteCount) }
}
