extension MainFileBuilder {
  /// Writes the rows' compact codes, where they are to have some.
  func writeCodes(
    _ writer: MainFileWriter, _ progress: (Int) throws(StorageError) -> Void
  ) throws(StorageError) {
    let dimension = contents.space.dimension
    guard let coding, coding.byteCount(rows.count, dimension) != nil else { return }
    let sampleCount = min(coding.sampleRowCount, rows.count)
    let fitted = try coding.fit(
      { (visit) throws(StorageError) in
        // Evenly spread over all rows.
        try forEachBlock(sampleCount, { $0 * rows.count / sampleCount }) {
          (block, count) throws(StorageError) in
          try progress(0)
          visit(block, count)
        }
      }, dimension)
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
      let chunk = try codes.encode(
        { (visit) throws(StorageError) in
          try forEachBlock(count, { start + $0 }) { (block, count) in visit(block, count) }
        }, count)
      try writer.append(chunk)
      byteCount += chunk.count
      start += count
    }
    writer.endSection(itemCount: byteCount)
    try progress(rows.count)
  }

  private static let blockRowCount = 256

  /// Calls `body` with copies of the vectors of `count` rows, the i-th of which is `rows[index(i)]`,
  /// so many at a time that copies of all do not fill memory.
  private func forEachBlock(
    _ count: Int, _ index: (Int) -> Int,
    _ body: (RawSpan, Int) throws(StorageError) -> Void
  ) throws(StorageError) {
    let buffer = ByteWriter(capacity: min(Self.blockRowCount, count) * contents.stride)
    for first in stride(from: 0, to: count, by: Self.blockRowCount) {
      let blockCount = min(Self.blockRowCount, count - first)
      buffer.removeAll()
      for position in first..<first + blockCount {
        let row = Int(rows[index(position)])
        try contents.withRows(row..<row + 1) { (span) throws(StorageError) in buffer.append(span) }
      }
      try buffer.withRawSpan { (span) throws(StorageError) in try body(span, blockCount) }
    }
  }
}
