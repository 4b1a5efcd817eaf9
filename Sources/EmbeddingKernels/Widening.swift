import CEmbeddingKernels

/// The first `dimension` halves of `row` as floats; exact.
///
/// - Precondition: `row` holds them and starts at an even address.
package func widened(row: RawSpan, dimension: Int, kernels: Kernels = .current) -> [Float] {
  precondition(dimension >= 0 && row.byteCount >= 2 * dimension, "the row is too short")
  return [Float](unsafeUninitializedCapacity: dimension) { floats, count in
    row.withUnsafeBytes { bytes in
      guard let source = bytes.baseAddress, let destination = floats.baseAddress else { return }
      kernels.table.pointee.convert_f16_f32(
        source.assumingMemoryBound(to: UInt16.self), dimension, destination)
    }
    count = dimension
  }
}
