import Foundation
import Synchronization

/// The oracle: scores every row in double precision, without any of the library's code.
struct ExactAnswers: Sendable {
  private let data: DataSet
  /// Rows widened at a time: 32 rows of 384 doubles stay in the first cache with the queries in
  /// the next.
  private static let blockRowCount = 32

  init(_ data: DataSet) {
    self.data = data
  }

  /// The `count` best rows among those that `admits` lets pass, for each of `queries`.
  ///
  /// Costs one multiplication per component, row and query, on all cores.
  func best(
    _ count: Int, for queries: [Int], among admits: @Sendable (Int) -> Bool = { _ in true }
  ) -> [[ScoredRow]] {
    let blockCount = (data.rowCount + Self.blockRowCount - 1) / Self.blockRowCount
    let next = Atomic(0)
    let merged = Mutex([BestRows](repeating: BestRows(capacity: count), count: queries.count))
    let wide = queries.map { data.queries[$0].map(Double.init) }
    let threadCount = min(blockCount, ProcessInfo.processInfo.activeProcessorCount)
    DispatchQueue.concurrentPerform(iterations: threadCount) { _ in
      var best = [BestRows](repeating: BestRows(capacity: count), count: queries.count)
      var block = [Double](repeating: 0, count: Self.blockRowCount * data.dimension)
      while true {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < blockCount else { break }
        let start = index * Self.blockRowCount
        let rows = start..<min(start + Self.blockRowCount, data.rowCount)
        let admitted = rows.filter(admits)
        if admitted.isEmpty { continue }
        widen(rows, into: &block)
        for (query, vector) in wide.enumerated() {
          for row in admitted {
            best[query].insert(row, score(vector, block, at: (row - start) * data.dimension))
          }
        }
      }
      merged.withLock { merged in
        for query in merged.indices { merged[query].insert(best[query]) }
      }
    }
    return merged.withLock { $0.map(\.rows) }
  }

  /// The score of one row.
  func score(ofRow row: Int, query: Int) -> Double {
    let vector = data.queries[query]
    return zip(data.vector(of: row), vector).reduce(0) { $0 + Double($1.0) * Double($1.1) }
  }

  private func widen(_ rows: Range<Int>, into block: inout [Double]) {
    let values = HalfFloats.values
    data.withHalves(ofRows: rows) { halves in
      for (index, half) in halves.enumerated() {
        block[index] = Double(values[Int(UInt16(littleEndian: half))])
      }
    }
  }

  private func score(_ query: [Double], _ block: [Double], at start: Int) -> Double {
    query.withUnsafeBufferPointer { query in
      block.withUnsafeBufferPointer { block in
        let row = UnsafeBufferPointer(rebasing: block[start..<start + query.count])
        var sums = SIMD8<Double>()
        let whole = query.count & ~7
        for index in stride(from: 0, to: whole, by: 8) {
          sums += Self.eight(query, index) * Self.eight(row, index)
        }
        var sum = sums.sum()
        for index in whole..<query.count { sum += query[index] * row[index] }
        return sum
      }
    }
  }

  private static func eight(
    _ values: UnsafeBufferPointer<Double>, _ index: Int
  ) -> SIMD8<Double> {
    UnsafeRawBufferPointer(values).loadUnaligned(
      fromByteOffset: index * MemoryLayout<Double>.size, as: SIMD8<Double>.self)
  }
}

/// The best of the rows offered so far, best first; of equal ones the lower row.
struct BestRows: Sendable {
  private(set) var rows: [ScoredRow] = []
  private let capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
  }

  mutating func insert(_ row: Int, _ score: Double) {
    if rows.count == capacity {
      guard let last = rows.last, score > last.score || score == last.score && row < last.row
      else { return }
      rows.removeLast()
    }
    var lower = 0
    var upper = rows.count
    while lower < upper {
      let middle = (lower + upper) / 2
      let other = rows[middle]
      if other.score > score || other.score == score && other.row < row {
        lower = middle + 1
      } else {
        upper = middle
      }
    }
    rows.insert(ScoredRow(row: row, score: score), at: lower)
  }

  mutating func insert(_ other: BestRows) {
    for row in other.rows { insert(row.row, row.score) }
  }
}
