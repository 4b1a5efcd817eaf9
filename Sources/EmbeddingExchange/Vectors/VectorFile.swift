internal import EmbeddingFiles
public import EmbeddingStores

/// A file of vectors, all of one dimension, that is read some rows at a time.
///
/// Opening reads the header alone and checks it against the file's size. Rows are read when they are
/// asked for, by calls and not through a mapping: a file that another program cuts short meanwhile is
/// an error then, where a mapping would end the process. The file is never written.
public struct VectorFile: Sendable {
  /// Vectors in the file.
  public let rowCount: Int
  /// Components of each.
  public let dimension: Int
  /// How the file holds a component.
  public let elementFormat: ElementFormat
  let layout: Layout
  private let file: any File

  var path: String { file.path }

  /// Where the rows are.
  struct Layout: Sendable {
    /// Bytes before the first row.
    var start: Int
    /// Bytes before the components of each row, which say how many they are.
    var countByteCount: Int
  }

  init(
    _ file: any File, rowCount: Int, dimension: Int, elementFormat: ElementFormat, layout: Layout
  ) {
    self.file = file
    self.rowCount = rowCount
    self.dimension = dimension
    self.elementFormat = elementFormat
    self.layout = layout
  }

  /// The vectors of some rows, as the file has them but for rounding to Float32. Not checked: they may
  /// be zero or infinite. Costs one read of `rows.count` rows.
  ///
  /// - Throws: `.invalidArgument` for rows that the file does not have; `.malformedFile` when the file
  ///   was cut short or changed since it was opened; `.inputOutput` from the device.
  public func vectors(_ rows: Range<Int>) throws(StoreError) -> [[Float]] {
    guard rows.lowerBound >= 0, rows.upperBound <= rowCount else {
      throw StoreError(
        .invalidArgument, "The file has rows 0..<\(rowCount), and \(rows) were asked for.",
        path: path)
    }
    let bytes = try translatingErrors { () throws(StorageError) in
      try file.read(
        at: UInt64(layout.start + rows.lowerBound * rowByteCount),
        byteCount: rows.count * rowByteCount)
    }
    guard bytes.count == rows.count * rowByteCount else {
      throw StoreError(
        .malformedFile, "The file was cut short while it was read. Write it anew, and try again.",
        path: path)
    }
    return try bytes.withRawSpan { (span) throws(StoreError) in
      var vectors: [[Float]] = []
      vectors.reserveCapacity(rows.count)
      for (index, row) in rows.enumerated() {
        let start = index * rowByteCount
        try checkCount(span, at: start, row: row)
        let components = start + layout.countByteCount..<start + rowByteCount
        vectors.append(elementFormat.decoded(span.extracting(components)))
      }
      return vectors
    }
  }

  /// The bytes of a row; the product was checked against the file's size.
  var rowByteCount: Int { layout.countByteCount + dimension * elementFormat.byteCount }

  private func checkCount(_ bytes: RawSpan, at start: Int, row: Int) throws(StoreError) {
    guard layout.countByteCount > 0 else { return }
    let count = bytes.integer(at: start, as: Int32.self) ?? 0
    guard Int(count) == dimension else {
      throw StoreError(
        .malformedFile,
        "Row \(row) says that it has \(count) components, and the first row has \(dimension).",
        path: path)
    }
  }
}
