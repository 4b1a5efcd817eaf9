/// How compact codes of rows are made. What their bytes mean is not known to this module, which
/// keeps them, checks them against damage and hands them out.
package struct RowCoding: Sendable {
  /// Goes through rows, some at a time: their bytes, and their number. May be called again and again;
  /// throws what reading them throws, or a cancellation.
  package typealias Rows =
    (_ visit: (_ rows: RawSpan, _ count: Int) -> Void) throws(StorageError) -> Void
  /// Codes one chunk of so many rows.
  package typealias Encode = (_ rows: Rows, _ count: Int) throws(StorageError) -> [UInt8]
  package typealias Fitted = (basis: [UInt8], encode: Encode)

  /// Rows of a chunk; the last one has fewer.
  package var chunkRowCount: Int
  /// Rows that a fit looks at.
  package var sampleRowCount: Int
  /// Bytes that the codes of so many rows of a dimension take; nil when they are to have none.
  package var byteCount: @Sendable (_ rowCount: Int, _ dimension: Int) -> Int?
  /// What the codes refer to, fitted to sample rows, and the encoder; nil when there is none to be
  /// had.
  package var fit: @Sendable (_ sample: Rows, _ dimension: Int) throws(StorageError) -> Fitted?

  package init(
    chunkRowCount: Int, sampleRowCount: Int,
    byteCount: @escaping @Sendable (_ rowCount: Int, _ dimension: Int) -> Int?,
    fit: @escaping @Sendable (_ sample: Rows, _ dimension: Int) throws(StorageError) -> Fitted?
  ) {
    self.chunkRowCount = chunkRowCount
    self.sampleRowCount = sampleRowCount
    self.byteCount = byteCount
    self.fit = fit
  }
}
