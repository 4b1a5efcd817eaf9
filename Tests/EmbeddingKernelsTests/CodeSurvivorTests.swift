import CEmbeddingKernels
import Testing

@testable import EmbeddingKernels

@Suite struct CodeSurvivorTests {
  private static let counts = [0, 1, 2, 15, 16, 17, 33, 500, 4_095, 6_000]

  @Test(arguments: availableLevels)
  func takingTheBestOutKeepsTheOrderAndLosesNoRow(level: KernelLevel) {
    var random = SeededGenerator()
    for count in Self.counts {
      for wanted in [0, 1, count / 3, count - 1, count, count + 5] where wanted >= 0 {
        let entries = Self.entries(count, special: [.nan], using: &random)
        let (list, best) = (Self.list(entries, level), Survivors(kernels: level.kernels))
        // What the other list held is gone.
        best.fill(Self.entries(3, using: &random))
        let ceiling = list.copyBest(wanted, to: best)
        list.keep(atLeast: -.infinity, below: ceiling)
        let context = "\(wanted) of \(count), \(random.replay)"
        let (stays, goes) = (list.entries(), best.entries())
        #expect(Self.areInOrder(stays) && Self.areInOrder(goes), "\(context)")
        #expect((stays + goes).sorted { $0.row < $1.row } == entries, "\(context)")
        #expect(count >= 2_048 || goes.count >= min(wanted, count), "\(context)")
        // Nothing that stays is better than anything that goes, and NaN goes.
        #expect(stays.allSatisfy { $0.bound < ceiling }, "\(context)")
        #expect(goes.allSatisfy { !($0.bound < ceiling) }, "\(context)")
      }
    }
  }

  @Test func aboutTheWantedNumberOfSpreadBoundsIsTakenOut() {
    var random = SeededGenerator()
    let bounds = (0..<2_000).map { Float($0) }.shuffled(using: &random)
    let entries = bounds.enumerated().map {
      ListEntry(row: UInt32($0.offset), bound: $0.element, estimate: 0)
    }
    for wanted in [1, 10, 100, 1_000, 1_999] {
      let (list, best) = (Self.list(entries, .best), Survivors())
      _ = list.copyBest(wanted, to: best)
      #expect((wanted...wanted + 2 * 2_000 / 511).contains(best.count), "\(random.replay)")
    }
  }

  @Test(arguments: availableLevels)
  func tiesAndNaNAreNotBelowAThreshold(level: KernelLevel) {
    var random = SeededGenerator()
    for count in Self.counts {
      let entries = Self.entries(
        count, special: [.nan, -.nan, .infinity, -.infinity, 0, -0.0], using: &random)
      for threshold in codeThresholds(entries.map(\.bound), using: &random) {
        let list = Self.list(entries, level)
        let expected = entries.filter { !($0.bound < threshold) }
        #expect(list.count(atLeast: threshold) == expected.count, "\(random.replay)")
        #expect(
          Array(list.rows(0..<count, atLeast: threshold)) == expected.map(\.row),
          "\(random.replay)")
      }
    }
  }

  /// A chunk at a time; some bring less than they asked room for.
  @Test func appendingKeepsWhatIsThere() {
    var random = SeededGenerator()
    let (list, entries) = (Survivors(), Self.entries(5_000, using: &random))
    var start = 0
    while start < entries.count {
      let end = min(start + Int.random(in: 0...300, using: &random), entries.count)
      let piece = Array(entries[start..<end])
      list.append(atMost: piece.count + Int.random(in: 0...50, using: &random)) { room in
        room.write(piece)
      }
      start = end
    }
    #expect(list.entries() == entries, "\(random.replay)")
    #expect(list.capacity >= list.count)
    list.truncate(to: 77)
    #expect(list.entries() == Array(entries.prefix(77)))
    list.removeAll()
    #expect(list.count == 0)
  }

  /// As refining chunk after chunk does.
  @Test func keptRowsMoveUpBehindThoseKeptBefore() {
    var random = SeededGenerator()
    for _ in 0..<50 {
      let entries = Self.entries(200, using: &random)
      let list = Self.list(entries, .best)
      var (start, target, expected) = (0, 0, [ListEntry]())
      while start < entries.count {
        let end = min(start + Int.random(in: 0...40, using: &random), entries.count)
        let kept = entries[start..<end].filter { _ in Bool.random(using: &random) }
        let count = list.keep(start..<end, to: target) { $0.write(kept) }
        #expect(count == kept.count)
        expected += kept
        target += count
        start = end
      }
      list.truncate(to: target)
      #expect(list.entries() == expected, "\(random.replay)")
    }
  }

  @Test func positionsOfRowsAreFound() {
    var random = SeededGenerator()
    for count in [0, 1, 2, 100] {
      let entries = Self.entries(count, using: &random)
      let list = Self.list(entries, .best)
      for row in 0...(entries.last?.row ?? 0) + 2 {
        for start in [0, count / 2, count] {
          let expected = entries.indices.first { $0 >= start && entries[$0].row >= row } ?? count
          #expect(list.index(ofRow: row, from: start) == expected, "\(random.replay)")
        }
      }
    }
  }

  @Test func sortingPutsTheLargestBoundFirst() {
    var random = SeededGenerator()
    let entries = Self.entries(1_000, special: [.infinity, -.infinity, 0], using: &random)
    let list = Self.list(entries, .best)
    list.sortByBound()
    let sorted = (0..<list.count).map { list.bound(at: $0) }
    #expect(sorted == entries.map(\.bound).sorted(by: >), "\(random.replay)")
    let bounds = Dictionary(uniqueKeysWithValues: entries.map { ($0.row, $0.bound) })
    #expect((0..<list.count).allSatisfy { bounds[list.row(at: $0)] == sorted[$0] })
    #expect(Set((0..<list.count).map { list.row(at: $0) }).count == 1_000)
  }

  // MARK: - Lists

  /// Rows with gaps, bounds of which some are equal or special, and estimates.
  private static func entries(
    _ count: Int, special: [Float] = [], using random: inout SeededGenerator
  ) -> [ListEntry] {
    var row: UInt32 = 0
    return (0..<count).map { _ in
      row += UInt32.random(in: 1...3, using: &random)
      var bound = Float(Int.random(in: -200...200, using: &random)) / 64
      if !special.isEmpty, Int.random(in: 0..<20, using: &random) == 0 {
        bound = special.randomElement(using: &random) ?? 0
      }
      return ListEntry(row: row, bound: bound, estimate: random.float())
    }
  }

  private static func list(_ entries: [ListEntry], _ level: KernelLevel) -> Survivors {
    let list = Survivors(kernels: level.kernels)
    list.fill(entries)
    return list
  }

  private static func areInOrder(_ entries: [ListEntry]) -> Bool {
    zip(entries, entries.dropFirst()).allSatisfy { $0.row < $1.row }
  }
}

extension ek_code_list {
  fileprivate func write(_ entries: [ListEntry]) -> Int {
    for (index, entry) in entries.enumerated() {
      rows[index] = entry.row
      bounds[index] = entry.bound
      estimates[index] = entry.estimate
    }
    return entries.count
  }
}

extension Survivors {
  fileprivate func fill(_ entries: [ListEntry]) {
    append(atMost: entries.count) { $0.write(entries) }
  }

  fileprivate func entries() -> [ListEntry] {
    var entries: [ListEntry] = []
    _ = keep(0..<count, to: 0) { list in
      entries = (0..<count).map {
        ListEntry(row: list.rows[$0], bound: list.bounds[$0], estimate: list.estimates[$0])
      }
      return count
    }
    return entries
  }
}
