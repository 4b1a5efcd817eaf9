import CEmbeddingKernels
import EmbeddingKernels
import Testing

/// The choice of the rows that are refined first.
@Suite struct CodeBoundTests {
  @Test func aboutTheWantedNumberReachesTheBoundOfSpreadOnes() {
    var random = SeededGenerator()
    for count in [100, 1_023, 1_024, 2_047, 2_048, 10_000, 100_000] {
      let bounds = (0..<count).map { Float($0) / Float(count) - 0.25 }.shuffled(using: &random)
      // One of 512 steps; then what a sample of 1,024 or more may be off by, six times over.
      let step = Double(count) / 511 + 1
      let sampling = count < 2_048 ? 0 : 6 * 0.5 * Double(count) / 1_024.0.squareRoot()
      for wanted in [1, 2, count / 100, count / 10, count / 2, count - 1] where wanted > 0 {
        let bound = ek_bound_reached_by(bounds, count, wanted)
        let reached = ek_count_reaching(bounds, count, bound)
        let surplus = Double(reached - wanted)
        let context = "\(wanted) of \(count): \(reached), \(random.replay)"
        #expect(surplus >= -sampling && surplus <= 2 * step + sampling, "\(context)")
      }
    }
  }

  /// A result needs that many rows, so the sample must not be short of them where it is everything.
  @Test func noFewerThanWantedReachTheBoundOfTwoThousand() {
    var random = SeededGenerator()
    for inputs in [CodeInputs.ordinary, .notFinite] {
      for count in [1, 2, 3, 10, 500, 2_047] {
        for exponents in [-3...3, -120...120, 0...0] {
          let bounds = (0..<count).map { _ in
            inputs == .notFinite
              ? inputs.constant(using: &random) : random.float(exponents: exponents)
          }
          for wanted in [0, 1, count / 3, count - 1] {
            let bound = ek_bound_reached_by(bounds, count, wanted)
            let reached = ek_count_reaching(bounds, count, bound)
            #expect(reached >= wanted, "of \(count), \(random.replay)")
          }
        }
      }
    }
  }

  @Test func boundsThatAreEqualAreReachedByMinusInfinity() {
    for value in [-1, 0, 1, 1e30, .leastNonzeroMagnitude] as [Float] {
      for count in [2, 100, 5_000] {
        let bounds = [Float](repeating: value, count: count)
        #expect(ek_bound_reached_by(bounds, count, 1) == -.infinity)
      }
    }
  }

  @Test func fewerBoundsThanWantedAreAllReached() {
    var random = SeededGenerator()
    for count in [0, 1, 2, 100, 5_000] {
      // None may be read where there are none.
      let bounds = FencedMemory.holding(random.floats(count))
      for wanted in [count, count + 1, 2 * count + 1, .max] {
        #expect(ek_bound_reached_by(bounds.elements, count, wanted) == -.infinity)
      }
    }
  }

  @Test func boundsThatAreNotFiniteStopNothing() {
    var random = SeededGenerator()
    let special: [Float] = [
      .nan, -.nan, .signalingNaN, .infinity, -.infinity, .greatestFiniteMagnitude,
      -.greatestFiniteMagnitude, .leastNonzeroMagnitude, 0, -0.0, 1,
    ]
    for count in [1, 2, 3, 7, 600, 4_096, 9_001] {
      for chosen in special.indices {
        // All of a kind at first, then any of those before it.
        for mixed in [false, true] {
          let bounds = (0..<count).map { _ in
            mixed ? special[...chosen].randomElement(using: &random) ?? 0 : special[chosen]
          }
          for wanted in [0, 1, count / 2, count] {
            let bound = ek_bound_reached_by(bounds, count, wanted)
            let reached = ek_count_reaching(bounds, count, bound)
            #expect(!bound.isNaN && reached <= count, "\(random.replay)")
          }
        }
      }
    }
  }

  /// Rows without a usable bound have to be looked at.
  @Test func boundsThatAreNoNumberCountAsReached() {
    var bounds = (0..<1_000).map { Float($0) }
    for index in 100..<110 { bounds[index] = .nan }
    let bound = ek_bound_reached_by(bounds, 1_000, 100)
    let reached = bounds.filter { !($0 < bound) }
    #expect(reached.count(where: \.isNaN) == 10)
    #expect((100...104).contains(reached.count))
  }

  @Test func countingKeepsTiesAndNaN() {
    var random = SeededGenerator()
    let special: [Float] = [.nan, .infinity, -.infinity, -0.0, 0]
    for count in Array(0...70) + [1_000] {
      let bounds = (0..<count).map { _ in
        Bool.random(using: &random)
          ? special.randomElement(using: &random) ?? 0
          : Float(Int.random(in: -2...2, using: &random))
      }
      for threshold in [-.infinity, -1, 0, 1, .infinity, .nan] as [Float] {
        let expected = bounds.count { !($0 < threshold) }
        #expect(ek_count_reaching(bounds, count, threshold) == expected, "\(random.replay)")
      }
    }
  }
}
