internal import Synchronization

/// What a search has read, counted where it is read; of scans, the rows that the filter allows. A
/// product of many queries with every row is not counted.
package struct SearchWork: Equatable, Sendable {
  /// Rows whose codes were read, by stage.
  package var codedRowCounts = SIMD8<Int>()
  /// Bytes of codes.
  package var codeByteCount = 0
  /// Bytes of the basis that rotates the query.
  package var basisByteCount = 0
  /// Float16 rows that were scored, and their bytes.
  package var scoredRowCount = 0
  package var scoredByteCount = 0
  /// Whether codes were given up in the middle, since too few rows could be skipped.
  package var gaveUp = false

  package init() {}

  package var byteCount: Int { codeByteCount + basisByteCount + scoredByteCount }

  package mutating func add(_ other: SearchWork) {
    codedRowCounts &+= other.codedRowCounts
    codeByteCount += other.codeByteCount
    basisByteCount += other.basisByteCount
    scoredRowCount += other.scoredRowCount
    scoredByteCount += other.scoredByteCount
    gaveUp = gaveUp || other.gaveUp
  }
}

/// Adds up the work of searches.
package final class SearchMeter: Sendable {
  private let total = Mutex(SearchWork())

  package init() {}

  package var work: SearchWork { total.withLock { $0 } }

  func add(_ work: SearchWork) { total.withLock { $0.add(work) } }
}
