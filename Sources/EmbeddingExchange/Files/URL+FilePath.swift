internal import EmbeddingStores
internal import Foundation

extension URL {
  /// The path of a file URL, as the system takes it.
  func filePath() throws(StoreError) -> String {
    guard isFileURL else {
      throw StoreError(
        .invalidArgument, "Only files on this device are read and written, and \(self) is none.")
    }
    var path = absoluteURL.path(percentEncoded: false)
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }
}
