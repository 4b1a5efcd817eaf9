/// The best candidates seen so far: a bounded heap with the worst at its root.
///
/// Better is a larger score; `precedes` decides between rows of equal score. What is kept does not
/// depend on the order of insertion. Storage grows with what was inserted, never with the capacity
/// alone. A score that is not a number never enters.
package struct TopCandidates: Sendable {
  package let capacity: Int
  private let isGrouped: Bool
  private let precedes: @Sendable (UInt32, UInt32) -> Bool
  private var heap: [Candidate] = []
  /// Where in the heap a group's candidate is; empty unless grouped.
  private var positions: [UInt32: Int] = [:]

  /// - Parameters:
  ///   - capacity: How many candidates to keep; may be `Int.max`.
  ///   - grouped: Whether to keep only the best candidate of each group.
  ///   - precedes: Whether the first row comes before the second one when their scores are equal;
  ///     a strict total order of rows.
  package init(
    capacity: Int, grouped: Bool, precedes: @escaping @Sendable (UInt32, UInt32) -> Bool
  ) {
    precondition(capacity >= 0, "the capacity must not be negative")
    self.capacity = capacity
    self.precedes = precedes
    isGrouped = grouped
  }

  package var count: Int { heap.count }

  /// A row with a smaller score can not enter: minus infinity until full, then the worst score.
  package var threshold: Float {
    guard heap.count == capacity else { return -.infinity }
    return heap.first?.score ?? .infinity
  }

  /// Whether `insert` would keep this candidate.
  package func admits(score: Float, row: UInt32, group: UInt32) -> Bool {
    let candidate = Candidate(score: score, row: row, group: group)
    return place(for: candidate) != nil
  }

  /// Keeps the candidate if it is among the best; does nothing otherwise.
  ///
  /// - Complexity: O(log count).
  package mutating func insert(_ candidate: Candidate) {
    switch place(for: candidate) {
    case nil:
      return
    case .append:
      heap.append(candidate)
      siftUp(from: heap.count - 1)
    case .replace(let index):
      // Keeps the dictionary no larger than the heap.
      if isGrouped { positions[heap[index].group] = nil }
      heap[index] = candidate
      siftDown(from: index)  // It is better than what was there, so it moves away from the root.
    }
  }

  /// The candidates, best first.
  package func sorted() -> [Candidate] { heap.sorted(by: isBetter) }

  /// The score of the candidate at a position of `sorted()`.
  package func score(at position: Int) -> Float {
    precondition(position >= 0 && position < heap.count, "no candidate at this position")
    // The worst is at hand.
    if position == heap.count - 1 { return heap[0].score }
    return heap.map(\.score).sorted(by: >)[position]
  }

  private enum Place {
    case append
    case replace(Int)
  }

  private func place(for candidate: Candidate) -> Place? {
    if candidate.score.isNaN { return nil }
    if let root = heap.first, heap.count == capacity, !isBetter(candidate, root) { return nil }
    if isGrouped, let index = positions[candidate.group] {
      return isBetter(candidate, heap[index]) ? .replace(index) : nil
    }
    if heap.count < capacity { return .append }
    return heap.isEmpty ? nil : .replace(0)
  }

  private func isBetter(_ a: Candidate, _ b: Candidate) -> Bool {
    a.score > b.score || (a.score == b.score && precedes(a.row, b.row))
  }

  private mutating func siftUp(from start: Int) {
    let candidate = heap[start]
    var index = start
    while index > 0, isBetter(heap[(index - 1) / 2], candidate) {
      put(heap[(index - 1) / 2], at: index)
      index = (index - 1) / 2
    }
    put(candidate, at: index)
  }

  private mutating func siftDown(from start: Int) {
    let candidate = heap[start]
    var index = start
    while true {
      var child = 2 * index + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, isBetter(heap[child], heap[child + 1]) { child += 1 }
      guard isBetter(candidate, heap[child]) else { break }
      put(heap[child], at: index)
      index = child
    }
    put(candidate, at: index)
  }

  private mutating func put(_ candidate: Candidate, at index: Int) {
    heap[index] = candidate
    if isGrouped { positions[candidate.group] = index }
  }
}
