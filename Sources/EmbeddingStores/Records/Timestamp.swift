internal import EmbeddingFiles
internal import Foundation

/// Dates as the files hold them: whole milliseconds since 1970, UTC.
enum Timestamp {
  static func milliseconds(_ date: Date?, key: String) throws(StoreError) -> Int64 {
    guard let date else { return RecordDetails.noTimestamp }
    guard let milliseconds = milliseconds(date) else {
      throw StoreError(
        .invalidArgument, "The timestamp of \"\(key)\" is not a time that can be stored.",
        key: key)
    }
    return milliseconds
  }

  static func date(_ milliseconds: Int64) -> Date? {
    guard milliseconds != RecordDetails.noTimestamp else { return nil }
    return Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
  }

  /// A bound for stored times, rounded as they are, so that a record's own date bounds it exactly;
  /// nil for what is not a time.
  static func bound(_ date: Date) -> Int64? {
    let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
    if milliseconds.isNaN { return nil }
    if milliseconds <= Double(Int64.min + 1) { return .min + 1 }
    return Int64(exactly: milliseconds) ?? .max
  }

  private static func milliseconds(_ date: Date) -> Int64? {
    let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded())
    return milliseconds == RecordDetails.noTimestamp ? nil : milliseconds
  }
}
