internal import EmbeddingFiles
internal import EmbeddingStores

/// Why a file is not read as an array of vectors.
enum NumPyDefect: Error {
  case malformed(String)
  case unsupported(String)
  case laterVersion(UInt8)
  case unreadable(StorageError)

  func storeError(path: String) -> StoreError {
    switch self {
    case .malformed(let message):
      StoreError(.malformedFile, "This is no whole NumPy array: \(message).", path: path)
    case .unsupported(let message):
      StoreError(.unsupportedElements, message, path: path)
    case .laterVersion(let version):
      StoreError(
        .unsupportedFormat,
        "The array has format version \(version), and versions 1 to 3 are read.", path: path)
    case .unreadable(let error):
      StoreError(error)
    }
  }
}
