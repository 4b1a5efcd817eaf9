internal import EmbeddingFiles
public import EmbeddingStores
public import Foundation

extension EmbeddingReader {
  /// Writes all rows as a NumPy array, and beside it a JSON Lines file that says what each row is.
  ///
  /// Both are of one snapshot, row for row in the same order, which means nothing. They appear under
  /// their names when they are whole and on the medium. After an error, a cancellation included,
  /// neither is there; a kill may leave `*.tmp` files beside them, or the records without the array,
  /// which comes last. Vectors are as stored, normalised if the space is; no element format rounds
  /// them. `importVectors(_:records:)` reads both back; a space with normalisation scales rows to length
  /// 1 again, which moves them by less than their last bit unless components are very few. Only
  /// `EmbeddingStore.archive(to:)` promises the same bits.
  ///
  /// - Returns: The rows that were written.
  /// - Throws: `.alreadyExists` when something is at either place; `.notFound` without a parent
  ///   directory; `.noSpace` and `.inputOutput` from the device; `.cancelled`; `.corrupt` and so on as
  ///   reading does.
  /// - Complexity: Reads every row, and decompresses every text. 4 bytes of memory a row and 256 rows.
  @discardableResult
  public func exportVectors(
    toNumPy array: URL, records: URL, as elementFormat: ElementFormat = .float32,
    progress: (ExportProgress) -> Void = { _ in }
  ) throws(StoreError) -> Int {
    let export = VectorExport(
      rows: LiveRows(try snapshot()), elementFormat: elementFormat,
      arrayPath: try array.filePath(), recordsPath: try records.filePath())
    return try export.run(progress)
  }

  /// `exportVectors(toNumPy:records:as:progress:)` away from the caller's thread.
  @concurrent @discardableResult
  public func exportVectors(
    toNumPy array: URL, records: URL, as elementFormat: ElementFormat = .float32,
    progress: @Sendable (ExportProgress) -> Void = { _ in }
  ) async throws(StoreError) -> Int {
    let export = VectorExport(
      rows: LiveRows(try snapshot()), elementFormat: elementFormat,
      arrayPath: try array.filePath(), recordsPath: try records.filePath())
    return try export.run(progress)
  }
}
