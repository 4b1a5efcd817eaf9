import CEmbeddingKernels

/// Rows that may still belong to a result, each with an upper bound and an estimate of its score,
/// by increasing row number until they are sorted.
///
/// Safe to hand from thread to thread, for use by one at a time.
@safe
package final class Survivors: @unchecked Sendable {  // See above: `SearchScratch` sees to it.
  package private(set) var count = 0
  /// Rows that there is room for.
  package private(set) var capacity = 0
  private var list: ek_code_list
  private let kernels: UnsafePointer<ek_code_kernels>

  /// Kernels may scribble on so many rows behind the last.
  private static let slack = 16

  package init(kernels: Kernels = .current) {
    self.kernels = kernels.codes
    list = Self.allocate(Self.slack)
  }

  deinit { Self.deallocate(list) }

  package func row(at index: Int) -> UInt32 {
    precondition(index >= 0 && index < count, "no survivor at this position")
    return list.rows[index]
  }

  package func bound(at index: Int) -> Float {
    precondition(index >= 0 && index < count, "no survivor at this position")
    return list.bounds[index]
  }

  /// The first position from `start` on whose row is `row` or a later one.
  package func index(ofRow row: UInt32, from start: Int) -> Int {
    let list = list
    var (low, high) = (start, count)
    while low < high {
      let middle = (low + high) / 2
      if list.rows[middle] < row { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The rows of a range whose bound is not below the threshold.
  package func rows(_ range: Range<Int>, atLeast threshold: Float) -> ContiguousArray<UInt32> {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "no such rows")
    var kept = ContiguousArray<UInt32>()
    kept.reserveCapacity(range.count)
    let list = list
    for index in range where !(list.bounds[index] < threshold) { kept.append(list.rows[index]) }
    return kept
  }

  /// Whether at least half of the rows between the first and the last are in the list.
  package var isDense: Bool {
    count > 1 && 2 * count > Int(list.rows[count - 1]) - Int(list.rows[0])
  }

  /// How many bounds are not below the threshold.
  package func count(atLeast threshold: Float) -> Int {
    ek_count_reaching(list.bounds, count, threshold)
  }

  // MARK: - Taking out

  package func removeAll() { count = 0 }

  /// Makes another list hold the rows of the largest bounds, in order: about `wanted`, and more
  /// when bounds are near one another; all when there are not that many. Returns the bound from
  /// which on they are. They stay here too, for `keep` to drop, unless they are all.
  package func copyBest(_ wanted: Int, to other: Survivors) -> Float {
    other.count = 0
    guard wanted < count else {
      exchange(with: other)
      return -.infinity
    }
    let threshold = ek_bound_reached_by(list.bounds, count, wanted)
    other.reserve(count)
    other.count = kernels.pointee.copy(list, count, threshold, other.list)
    return threshold
  }

  /// Drops every row whose bound is below the threshold, or is not below the ceiling.
  package func keep(atLeast threshold: Float, below ceiling: Float) {
    count = kernels.pointee.keep(list, count, threshold, ceiling)
  }

  /// Becomes empty and makes another list hold all rows.
  private func exchange(with other: Survivors) {
    swap(&list, &other.list)
    swap(&capacity, &other.capacity)
    other.count = count
    count = 0
  }

  /// Puts the rows in the order of decreasing bounds, without their estimates.
  package func sortByBound() {
    let list = list
    let order = (0..<count).map { (list.bounds[$0], list.rows[$0]) }.sorted { $0.0 > $1.0 }
    for (index, (bound, row)) in order.enumerated() {
      list.rows[index] = row
      list.bounds[index] = bound
    }
  }

  // MARK: - For kernels

  /// Calls `body` with room for `most` further rows, which answers how many it wrote.
  func append(atMost most: Int, _ body: (ek_code_list) -> Int) {
    reserve(most)
    count += body(part(from: count))
  }

  /// Calls `body` with the rows of a range, which leaves those that it keeps in front and answers
  /// how many; moves these to `target`.
  func keep(_ range: Range<Int>, to target: Int, _ body: (ek_code_list) -> Int) -> Int {
    precondition(
      range.lowerBound >= target && target >= 0 && range.upperBound <= count, "no such rows")
    let kept = body(part(from: range.lowerBound))
    if range.lowerBound > target {
      let (from, to) = (part(from: range.lowerBound), part(from: target))
      to.rows.update(from: from.rows, count: kept)
      to.bounds.update(from: from.bounds, count: kept)
      to.estimates.update(from: from.estimates, count: kept)
    }
    return kept
  }

  /// Drops the rows from a position on.
  package func truncate(to count: Int) {
    precondition(count >= 0 && count <= self.count, "no such rows")
    self.count = count
  }

  private func part(from start: Int) -> ek_code_list {
    ek_code_list(
      rows: list.rows + start, bounds: list.bounds + start, estimates: list.estimates + start)
  }

  private func reserve(_ more: Int) {
    guard count + more > capacity else { return }
    capacity = max(count + more, 2 * capacity)
    let larger = Self.allocate(capacity + Self.slack)
    larger.rows.update(from: list.rows, count: count)
    larger.bounds.update(from: list.bounds, count: count)
    larger.estimates.update(from: list.estimates, count: count)
    Self.deallocate(list)
    list = larger
  }

  private static func allocate(_ capacity: Int) -> ek_code_list {
    ek_code_list(
      rows: .allocate(capacity: capacity), bounds: .allocate(capacity: capacity),
      estimates: .allocate(capacity: capacity))
  }

  private static func deallocate(_ list: ek_code_list) {
    list.rows.deallocate()
    list.bounds.deallocate()
    list.estimates.deallocate()
  }
}
