import EmbeddingKernels
import Testing

@Suite struct TopCandidatesTests {
  @Test(arguments: [false, true])
  func theHeapKeepsWhatSortingWouldKeep(grouped: Bool) {
    var random = SeededGenerator()
    for count in Array(0...12) + [40, 100] {
      for capacity in Array(0...count + 1) + [Int.max] {
        // Few distinct scores and groups: many ties and replacements. Rows tie by a scrambled key.
        let keys = (0..<UInt32(count)).shuffled(using: &random)
        let offered = (0..<UInt32(count)).shuffled(using: &random).map { row in
          Candidate(
            score: Float(Int.random(in: 0..<5, using: &random)), row: row,
            group: UInt32.random(in: 0..<8, using: &random))
        }
        var top = TopCandidates(capacity: capacity, grouped: grouped) {
          keys[Int($0)] < keys[Int($1)]
        }
        for (index, candidate) in offered.enumerated() {
          let before = top.sorted()
          let admitted = top.admits(
            score: candidate.score, row: candidate.row, group: candidate.group)
          let threshold = top.threshold
          top.insert(candidate)
          let expected = best(
            of: offered[...index], capacity: capacity, grouped: grouped, keys: keys)
          let after = top.sorted()
          #expect(after == expected, "capacity \(capacity), \(random.replay)")
          #expect(admitted == (after != before), "capacity \(capacity), \(random.replay)")
          if candidate.score < threshold { #expect(!admitted) }
          #expect(top.count == expected.count)
          if let position = expected.indices.randomElement(using: &random) {
            #expect(top.score(at: position) == expected[position].score, "\(random.replay)")
          }
          if capacity > 0 {
            let isFull = expected.count == capacity
            #expect(top.threshold == (isFull ? expected[capacity - 1].score : -.infinity))
          }
        }
      }
    }
  }

  @Test func withoutRoomNothingEnters() {
    var top = TopCandidates(capacity: 0, grouped: false, precedes: <)
    #expect(top.threshold == .infinity)
    #expect(!top.admits(score: .infinity, row: 0, group: 0))
    top.insert(Candidate(score: .infinity, row: 0, group: 0))
    #expect(top.sorted().isEmpty)
  }

  @Test(arguments: [false, true])
  func aScoreThatIsNotANumberNeverEnters(grouped: Bool) {
    var top = TopCandidates(capacity: 3, grouped: grouped, precedes: <)
    for (row, score) in [Float.nan, -.infinity, .nan, .infinity].enumerated() {
      top.insert(Candidate(score: score, row: UInt32(row), group: UInt32(row)))
    }
    #expect(top.sorted().map(\.row) == [3, 1])
  }

  @Test func zerosOfEitherSignTie() {
    var top = TopCandidates(capacity: 1, grouped: false, precedes: <)
    top.insert(Candidate(score: 0, row: 2, group: 0))
    top.insert(Candidate(score: -0.0, row: 1, group: 0))
    #expect(top.sorted().map(\.row) == [1])
  }

  private func best(
    of offered: ArraySlice<Candidate>, capacity: Int, grouped: Bool, keys: [UInt32]
  ) -> [Candidate] {
    var seen: Set<UInt32> = []
    let sorted = offered.sorted { a, b in
      a.score != b.score ? a.score > b.score : keys[Int(a.row)] < keys[Int(b.row)]
    }
    let distinct = sorted.filter { !grouped || seen.insert($0.group).inserted }
    return Array(distinct.prefix(capacity))
  }
}
