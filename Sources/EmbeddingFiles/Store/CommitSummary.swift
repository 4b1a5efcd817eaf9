/// What a commit did.
package struct CommitSummary: Equatable, Sendable {
  /// The number of its last change.
  package var changeNumber: UInt64
  package var putCount = 0
  package var removedCount = 0

  package init(changeNumber: UInt64, putCount: Int = 0, removedCount: Int = 0) {
    self.changeNumber = changeNumber
    self.putCount = putCount
    self.removedCount = removedCount
  }
}
