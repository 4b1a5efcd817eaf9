/// How compact codes of rows are made. What their bytes mean is not known to this module, which
/// keeps them, checks them against damage and hands them out.
package struct RowCoding: Sendable {
  /// Codes one chunk of rows: the bytes of so many rows, and their number.
  package typealias Encode = (_ rows: RawSpan, _ count: Int) -> [UInt8]

  /// Rows of a chunk; the last one has fewer.
  package var chunkRowCount: Int
  /// Rows that a fit looks at.
  package var sampleRowCount: Int
  /// Bytes that the codes of so many rows of a dimension take; nil when they are to have none.
  package var byteCount: @Sendable (_ rowCount: Int, _ dimension: Int) -> Int?
  /// What the codes refer to, fitted to sample rows, and the encoder; nil when there is none to be
  /// had.
  package var fit:
    @Sendable (_ sample: RawSpan, _ count: Int, _ dimension: Int) -> (
      basis: [UInt8], encode: Encode
    )?

  package init(
    chunkRowCount: Int, sampleRowCount: Int,
    byteCount: @escaping @Sendable (_ rowCount: Int, _ dimension: Int) -> Int?,
    fit:
      @escaping @Sendable (_ sample: RawSpan, _ count: Int, _ dimension: Int) -> (
        basis: [UInt8], encode: Encode
      )?
  ) {
    self.chunkRowCount = chunkRowCount
    self.sampleRowCount = sampleRowCount
    self.byteCount = byteCount
    self.fit = fit
  }
}
