internal import EmbeddingFiles
internal import EmbeddingStores
internal import Foundation

/// Reads a `RecordList`, one record after the other.
struct RecordListReader {
  private enum Form { case keys, jsonLines, rowNumbers }

  private let form: Form
  private var lines: LineReader?
  private let decoder = JSONDecoder()
  private var count = 0
  /// The file's path; nil when there is none.
  let path: String?

  init(_ list: RecordList, on fileSystem: any FileSystem) throws(StoreError) {
    let url: URL
    switch list {
    case .keys(let keys): (form, url) = (.keys, keys)
    case .jsonLines(let records): (form, url) = (.jsonLines, records)
    case .rowNumbers:
      form = .rowNumbers
      path = nil
      return
    }
    let path = try url.filePath()
    let file = try translatingErrors { () throws(StorageError) in try fileSystem.open(path, .read) }
    lines = LineReader(file)
    self.path = path
  }

  /// The next record; nil after the last one, which row numbers do not have.
  ///
  /// - Throws: `.malformedFile` for a line that is no record, with its number.
  mutating func next() throws(StoreError) -> RecordLine? {
    guard form != .rowNumbers else {
      defer { count += 1 }
      return RecordLine(key: "\(count)")
    }
    guard let line = try lines?.next() else { return nil }
    guard !line.isEmpty else { throw malformed("it is empty") }
    if form == .keys {
      guard let key = String(validating: line, as: UTF8.self) else {
        throw malformed("it is not UTF-8")
      }
      return RecordLine(key: key)
    }
    do {
      return try decoder.decode(JSONLine.self, from: Data(line)).record(of: line)
    } catch {
      throw malformed(Self.reason(error))
    }
  }

  private func malformed(_ reason: String) -> StoreError {
    StoreError(
      .malformedFile, "Line \(lines?.lineNumber ?? 0) is no record: \(reason).", path: path)
  }

  private static func reason(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "it is not JSON" }
    switch error {
    case .keyNotFound(let key, _): return "it has no \"\(key.stringValue)\""
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      return "\"\(context.codingPath.last?.stringValue ?? "")\" has a value of another type"
    case .dataCorrupted(let context):
      return context.underlyingError == nil ? context.debugDescription : "it is not JSON"
    @unknown default: return "it is not JSON"
    }
  }
}
