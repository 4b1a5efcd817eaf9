import CEmbeddingKernels

/// Marks the values within `lower...upper`: bit i mod 64 of word i / 64 stands for value i.
///
/// Bits beyond `count` are clear; so are all when `lower` exceeds `upper`.
///
/// - Parameter values: Signed 64-bit integers in the machine's byte order.
/// - Precondition: `values` holds `count` integers and starts at a multiple of 8 bytes.
/// - Complexity: O(`count`), near the speed of memory.
package func markRange(
  values: RawSpan, count: Int, lower: Int64, upper: Int64, kernels: Kernels = .current
) -> [UInt64] {
  precondition(count >= 0 && values.byteCount / 8 >= count, "fewer values than the count")
  guard count > 0 else { return [] }
  let wordCount = (count + 63) / 64
  return [UInt64](unsafeUninitializedCapacity: wordCount) { words, initializedCount in
    values.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, let words = words.baseAddress, count > 0 else { return }
      precondition(Int(bitPattern: base) % 8 == 0, "the values are not aligned to 8 bytes")
      kernels.table.pointee.bitmap_range_i64(
        base.assumingMemoryBound(to: Int64.self), count, lower, upper, words)
    }
    initializedCount = wordCount
  }
}
