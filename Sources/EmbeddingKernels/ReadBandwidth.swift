import CEmbeddingKernels

/// Reads every byte, as fast as the level can, and returns the exclusive or of the bytes taken as
/// 64-bit little-endian words: the yardstick that scans are measured against.
package func readBandwidthProbe(_ bytes: RawSpan, kernels: Kernels = .current) -> UInt64 {
  bytes.withUnsafeBytes { bytes in
    bytes.baseAddress.map { kernels.table.pointee.read_bytes($0, bytes.count) } ?? 0
  }
}
