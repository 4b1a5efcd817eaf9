extension MainFileBuilder {
  /// Writes the rows' compact codes, where they are to have some.
  func writeCodes(
    _ writer: MainFileWriter, _ progress: (Int) throws(StorageError) -> Void
  ) throws(StorageError) {
    let dimension = contents.space.dimension
    guard let coding, coding.byteCount(rows.count, dimension) != nil else { return }
    let sampleCount = min(coding.sampleRowCount, rows.count)
    // Evenly spread over all rows.
    let fitted = try withRows(sampleCount, { $0 * rows.count / sampleCount }) { sample in
      coding.fit(sample, sampleCount, dimension)
    }
    guard let codes = fitted else { return }
    try writer.beginSection(.codeBasis)
    try writer.append(codes.basis)
    writer.endSection(itemCount: codes.basis.count)
    try writer.beginSection(.codes)
    var byteCount = 0
    var start = 0
    while start < rows.count {
      try progress(start)
      let count = min(coding.chunkRowCount, rows.count - start)
      let chunk = try withRows(count, { start + $0 }) { codes.encode($0, count) }
      try writer.append(chunk)
      byteCount += chunk.count
      start += count
    }
    writer.endSection(itemCount: byteCount)
    try progress(rows.count)
  }

  /// Calls `body` with a copy of the vectors of `count` rows, the i-th of which is `rows[index(i)]`.
  private func withRows<Result>(
    _ count: Int, _ index: (Int) -> Int, _ body: (RawSpan) -> Result
  ) throws(StorageError) -> Result {
    let buffer = ByteWriter(capacity: count * contents.stride)
    for position in 0..<count {
      let row = Int(rows[index(position)])
      try contents.withRows(row..<row + 1) { (span) throws(StorageError) in buffer.append(span) }
    }
    return buffer.withRawSpan(body)
  }
}
