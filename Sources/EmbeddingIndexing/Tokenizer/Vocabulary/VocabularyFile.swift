internal import EmbeddingStores
internal import Foundation

/// The content of a vocabulary's file, decompressed.
struct VocabularyFile {
  let path: String
  let bytes: [UInt8]

  /// Far more than any vocabulary has, so that a wrong file does not fill the memory.
  private static let largestByteCount = 64 << 20

  init(_ url: URL) throws(StoreError) {
    guard url.isFileURL else {
      throw StoreError(
        .invalidArgument, "The vocabulary must be a file on this device: download it first.",
        path: url.absoluteString)
    }
    path = url.path(percentEncoded: false)
    let content = try Self.content(of: url, path: path)
    guard content.starts(with: Gzip.signature) else {
      bytes = content
      return
    }
    guard let inflated = Gzip.inflated(content, largestByteCount: Self.largestByteCount) else {
      throw StoreError(
        .invalidVocabulary,
        "The compressed file is damaged or truncated: take it from the model's distribution again.",
        path: path)
    }
    bytes = inflated
  }

  private static func content(of url: URL, path: String) throws(StoreError) -> [UInt8] {
    do {
      let values = try url.resolvingSymlinksInPath().resourceValues(
        forKeys: [.isRegularFileKey, .fileSizeKey])
      guard values.isRegularFile == true, values.fileSize ?? 0 <= largestByteCount else {
        throw StoreError(
          .invalidVocabulary,
          "Something else than a vocabulary file is there: a directory, or more than 64 MiB.",
          path: path)
      }
      return [UInt8](try Data(contentsOf: url))
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(reading: path, error)
    }
  }
}

extension StoreError {
  fileprivate init(reading path: String, _ error: any Error) {
    switch (error as? CocoaError)?.code {
    case .fileNoSuchFile, .fileReadNoSuchFile:
      self.init(
        .notFound,
        "No vocabulary file is there: add the model's to the app, or pass where it is.", path: path)
    case .fileReadNoPermission:
      self.init(
        .permissionDenied, "The vocabulary file may not be read by this process.", path: path)
    default:
      self.init(
        .inputOutput, "The vocabulary file could not be read: \(error.localizedDescription)",
        path: path)
    }
  }
}
