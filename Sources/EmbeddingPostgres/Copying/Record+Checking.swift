internal import EmbeddingStores
internal import Foundation

extension Record {
  /// The longest key that the index of a table takes beside the longest owner.
  static let longestPostgresKeyByteCount = 2_048

  /// Refuses what a store holds and PostgreSQL can not.
  func checkForPostgres() throws(PostgresError) {
    guard key.utf8.count <= Self.longestPostgresKeyByteCount else {
      throw PostgresError(
        .limitExceeded,
        "A key has \(key.utf8.count) UTF-8 bytes, and PostgreSQL indexes 2,048. Use shorter keys.",
        key: key)
    }
    guard !key.utf8.contains(0), !(text?.utf8.contains(0) ?? false),
      !labels.contains(where: { $0.utf8.contains(0) })
    else {
      throw PostgresError(
        .containsNUL,
        "The key, a label or the text of \"\(key)\" has a NUL character, which PostgreSQL can not "
          + "store. Take it out of the record and try again.", key: key)
    }
  }
}

/// A moment as PostgreSQL counts: microseconds since 2000.
struct PostgresTime {
  let microseconds: Int64

  /// From 1970 to 2000.
  private static let epochMilliseconds: Int64 = 946_684_800_000
  /// What `timestamptz` holds: from 4714 before our era to 294276.
  private static let bounds: ClosedRange<Int64> =
    -211_813_488_000_000_000...9_223_371_331_199_999_999

  init(_ date: Date, key: String) throws(PostgresError) {
    let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded())
    let shifted = milliseconds?.subtractingReportingOverflow(Self.epochMilliseconds)
    let scaled = shifted?.partialValue.multipliedReportingOverflow(by: 1_000)
    guard let shifted, let scaled, !shifted.overflow, !scaled.overflow,
      Self.bounds.contains(scaled.partialValue)
    else {
      throw PostgresError(
        .limitExceeded,
        "The timestamp of \"\(key)\" is beyond those of PostgreSQL, from 4714 BC to 294276.",
        key: key)
    }
    microseconds = scaled.partialValue
  }

  /// A bound for stored times: rounded as they are, and clamped to what there can be.
  init(bound date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
    let microseconds = (milliseconds - Double(Self.epochMilliseconds)) * 1_000
    guard microseconds > Double(Self.bounds.lowerBound) else {
      self.microseconds = Self.bounds.lowerBound
      return
    }
    self.microseconds =
      Int64(exactly: microseconds).map { min($0, Self.bounds.upperBound) }
      ?? Self.bounds.upperBound
  }

  /// The moment to the millisecond, as stores hold it; nil for PostgreSQL's infinities.
  static func date(_ microseconds: Int64) -> Date? {
    guard bounds.contains(microseconds) else { return nil }
    let milliseconds = (Double(microseconds) / 1_000).rounded() + Double(epochMilliseconds)
    return Date(timeIntervalSince1970: milliseconds / 1_000)
  }
}

/// Labels that Swift calls equal are one label to a store; the server compares bytes.
enum LabelForm {
  static func stored(_ label: String) -> String {
    label.utf8.allSatisfy { $0 < 0x80 } ? label : label.precomposedStringWithCanonicalMapping
  }
}
