/// A row that may be part of a result.
package struct Candidate: Equatable, Sendable {
  package var score: Float
  package var row: UInt32
  /// What the row belongs to, such as the item that several rows are parts of.
  package var group: UInt32

  package init(score: Float, row: UInt32, group: UInt32) {
    self.score = score
    self.row = row
    self.group = group
  }
}
