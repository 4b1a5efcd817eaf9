internal import EmbeddingStores
internal import Foundation

/// How a failure is kept as a record: the time of the last attempt as its timestamp, the reason as
/// its text, the revision that was tried as its revision. The vector means nothing.
enum FailureRecord {
  static let vector: [Float] = [0]

  /// The longest reason that is kept, in UTF-8 bytes: errors from outside may be of any length.
  private static let reasonByteCount = 4_096

  private struct Details: Codable {
    var kind: String
    var attemptCount: Int
    var space: EmbeddingSpace
  }

  static func record(_ failure: IndexingFailure) throws(StoreError) -> Record {
    let details = Details(
      kind: failure.kind.rawValue, attemptCount: failure.attemptCount, space: failure.space)
    do {
      return try Record(
        key: failure.key, vector: vector, timestamp: failure.lastAttempt, metadataValue: details,
        text: shortened(failure.reason), revision: failure.revision)
    } catch {
      throw StoreError(
        .invalidArgument, "The failure can not be kept: \(error)", key: failure.key)
    }
  }

  /// Nil for an entry that this version of the library does not understand.
  static func failure(_ record: Record) -> IndexingFailure? {
    guard let details = try? record.metadata(as: Details.self),
      let kind = IndexingFailure.Kind(rawValue: details.kind), let reason = record.text,
      let lastAttempt = record.timestamp
    else { return nil }
    return IndexingFailure(
      key: record.key, kind: kind, reason: reason, attemptCount: details.attemptCount,
      lastAttempt: lastAttempt, revision: record.revision, space: details.space)
  }

  private static func shortened(_ reason: String) -> String {
    guard reason.utf8.count > reasonByteCount else { return reason }
    return String(decoding: reason.utf8.prefix(reasonByteCount - 3), as: UTF8.self) + "..."
  }
}
