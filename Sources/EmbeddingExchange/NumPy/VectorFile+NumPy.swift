internal import EmbeddingFiles
public import EmbeddingStores
public import Foundation

extension VectorFile {
  /// Opens a NumPy array of two dimensions, rows by components, that `numpy.save` wrote.
  ///
  /// Read are format versions 1 to 3 with elements of `float16`, `float32` or `float64`,
  /// little-endian, in C order. Everything else is refused with a message that says which call of
  /// NumPy makes such an array of it; nothing is converted silently.
  ///
  /// - Throws: `.notFound`; `.notAStore` for a directory or device; `.malformedFile` when the file is
  ///   no array, was cut short, holds more than its header says, or has a header that does not parse;
  ///   `.unsupportedElements` for another type, order or number of dimensions; `.unsupportedFormat`
  ///   for a later version; `.permissionDenied` and `.inputOutput` from the system.
  public init(npy url: URL) throws(StoreError) {
    try self.init(npy: try url.filePath(), on: POSIXFileSystem())
  }

  init(npy path: String, on fileSystem: any FileSystem) throws(StoreError) {
    let (file, byteCount) = try translatingErrors { () throws(StorageError) in
      let file = try fileSystem.open(path, .read)
      return (file, Int(clamping: try file.attributes().byteCount))
    }
    do throws(NumPyDefect) {
      let header = try NumPyHeader(of: file, byteCount: byteCount)
      self.init(
        file, rowCount: header.rowCount, dimension: header.dimension,
        elementFormat: header.elementFormat,
        layout: Layout(start: header.dataStart, countByteCount: 0))
    } catch {
      throw error.storeError(path: path)
    }
  }
}
