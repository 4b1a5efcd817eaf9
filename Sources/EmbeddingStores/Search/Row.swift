internal import EmbeddingFiles
public import Foundation
import Synchronization

/// A row that would enter a result, for a search's closure to decide about.
///
/// Each property reads from the store when it is used. When that fails the property is empty, and
/// the search throws what happened once the closure has returned.
public struct Row {
  let contents: Contents
  let index: Int
  let failure: SearchFailure

  /// The record's key.
  public var key: String {
    failure.catching("") { () throws(StorageError) in try contents.key(of: index) }
  }

  /// The record's part.
  public var part: UInt16 {
    failure.catching(0) { () throws(StorageError) in try contents.part(of: index) }
  }

  /// The record's timestamp.
  public var timestamp: Date? {
    Timestamp.date(
      failure.catching(RecordDetails.noTimestamp) { () throws(StorageError) in
        try contents.timestamp(of: index)
      })
  }

  /// The record's labels.
  public var labels: Set<String> {
    failure.catching([]) { () throws(StorageError) in Set(try contents.labels(of: index)) }
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
    failure.catching((nil, nil)) { () throws(StorageError) in
      try contents.metadataAndText(of: index)
    }
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
