internal import EmbeddingFiles
public import EmbeddingStores
public import Foundation

extension VectorFile {
  /// Opens an `.fvecs` file, as the usual benchmark sets come in: for each vector its number of
  /// components in four bytes, then the components as Float32.
  ///
  /// The format has no header: the first row's number is the dimension, and every row is held against
  /// it when it is read.
  ///
  /// - Throws: `.notFound`; `.notAStore` for a directory or device; `.malformedFile` when the size is
  ///   no multiple of a row's, or the dimension is not within 1...1,048,576; `.permissionDenied` and
  ///   `.inputOutput` from the system.
  public init(fvecs url: URL) throws(StoreError) {
    try self.init(fvecs: try url.filePath(), on: POSIXFileSystem())
  }

  init(fvecs path: String, on fileSystem: any FileSystem) throws(StoreError) {
    let (file, byteCount, first) = try translatingErrors { () throws(StorageError) in
      let file = try fileSystem.open(path, .read)
      return (
        file, Int(clamping: try file.attributes().byteCount), try file.read(at: 0, byteCount: 4)
      )
    }
    let dimension = first.withRawSpan { $0.integer(at: 0, as: Int32.self) }.map { Int($0) } ?? 0
    guard (1...1 << 20).contains(dimension) else {
      throw StoreError(
        .malformedFile,
        "The file begins with a row of \(dimension) components, so it is no .fvecs file.",
        path: path)
    }
    let rowByteCount = 4 + 4 * dimension
    guard byteCount % rowByteCount == 0 else {
      throw StoreError(
        .malformedFile,
        "Rows of \(dimension) components have \(rowByteCount) bytes, and the \(byteCount) bytes of "
          + "the file are no multiple of it: it was cut short, or is no .fvecs file.", path: path)
    }
    self.init(
      file, rowCount: byteCount / rowByteCount, dimension: dimension, elementFormat: .float32,
      layout: Layout(start: 0, countByteCount: 4))
  }
}
