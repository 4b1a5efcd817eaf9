internal import EmbeddingKernels

extension Array where Element == Float {
  /// The components that Float16 bits stand for, exactly; as many as `halves` holds whole.
  ///
  /// - Precondition: `halves` starts at an even address.
  package init(widening halves: RawSpan) {
    self = widened(row: halves, dimension: halves.byteCount / 2)
  }
}
