internal import EmbeddingFiles
public import Foundation
import Synchronization

/// A row that would enter a result, for a search's closure to decide about.
///
/// Each property reads from the store when it is used. When that fails the property is empty, and
/// the search throws what happened once the closure has returned.
public struct Row {
  /// Shared by all rows of a search, so that making a row costs next to nothing.
  let source: RowSource
  let index: Int

  /// The record's key.
  public var key: String {
    source.failure.catching("") { () throws(StorageError) in try source.contents.key(of: index) }
  }

  /// The record's part.
  public var part: UInt16 {
    source.failure.catching(0) { () throws(StorageError) in try source.contents.part(of: index) }
  }

  /// The record's timestamp.
  public var timestamp: Date? {
    Timestamp.date(
      source.failure.catching(RecordDetails.noTimestamp) { () throws(StorageError) in
        try source.contents.timestamp(of: index)
      })
  }

  /// The record's labels.
  public var labels: Set<String> {
    source.failure.catching([]) { () throws(StorageError) in
      Set(try source.contents.labels(of: index))
    }
  }

  /// The record's metadata. Decompresses a block of about 64 KiB unless it was used recently.
  public var metadata: Data? {
    metadataAndText.metadata.map { Data($0) }
  }

  /// The record's text. Costs as `metadata`.
  public var text: String? {
    metadataAndText.text
  }

  private var metadataAndText: (metadata: [UInt8]?, text: String?) {
    source.failure.catching((nil, nil)) { () throws(StorageError) in
      try source.contents.metadataAndText(of: index)
    }
  }
}

/// Where the rows of one search are read from.
final class RowSource: Sendable {
  let contents: Contents
  let failure = SearchFailure()

  init(_ contents: Contents) {
    self.contents = contents
  }
}

/// The first error met where a search can not throw: in a closure's row or in a comparison.
final class SearchFailure: Sendable {
  private let first = Mutex<StorageError?>(nil)

  func catching<Value>(
    _ fallback: Value, _ body: () throws(StorageError) -> Value
  ) -> Value {
    do throws(StorageError) {
      return try body()
    } catch {
      record(error)
      return fallback
    }
  }

  func record(_ error: StorageError) {
    first.withLock { $0 = $0 ?? error }
  }

  func check() throws(StorageError) {
    if let error = first.withLock({ $0 }) { throw error }
  }
}
