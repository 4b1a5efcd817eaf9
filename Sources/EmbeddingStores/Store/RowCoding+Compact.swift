internal import EmbeddingFiles
internal import EmbeddingKernels

extension RowCoding {
  /// The compact codes that the cascade reads.
  static let compact = RowCoding(
    chunkRowCount: CodeLayout.chunkRowCount, sampleRowCount: CodeBasis.sampleRowCount,
    byteCount: { rowCount, dimension in
      guard rowCount >= CodeLayout.minimumRowCount, let layout = CodeLayout(dimension: dimension)
      else { return nil }
      return layout.byteCount(rowCount: rowCount) + CodeBasis.byteCount(layout)
    },
    fit: { (sample, dimension) throws(StorageError) in
      let stride = RowBuffer.stride(forDimension: dimension)
      guard let layout = CodeLayout(dimension: dimension),
        let basis = try CodeBasis(layout, stride: stride, fittedTo: sample)
      else { return nil }
      let encoder = RowEncoder(basis)
      return (
        basis.bytes,
        { (rows, count) throws(StorageError) in
          try encoder.encode(count, stride: stride, rows)
        }
      )
    })
}
