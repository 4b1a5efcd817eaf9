import EmbeddingIndexing
import EmbeddingStores
import EmbeddingTestSupport
import Testing

/// For each problem an encoder that has it and no other.
@Suite struct EncoderCheckTests {
  static let samples = [
    "a red car", "two cats asleep", "the sea", "snow", "five friends at dinner",
  ]

  /// The kinds and positions that a check finds; every message must have something to say.
  private static func found(
    _ encoder: some EmbeddingEncoder<String>, samples: [String] = samples,
    golden: [GoldenVector<String>] = [], tolerance: Double = 0.001
  ) async -> [EncoderProblem.Kind: [Int?]] {
    let problems = await EncoderCheck(tolerance: tolerance)
      .problems(of: encoder, samples: samples, golden: golden)
    for problem in problems { #expect(problem.message.count > 40) }
    return Dictionary(grouping: problems, by: \.kind).mapValues { $0.map(\.index) }
  }

  @Test(arguments: [16, 64, 256])
  func anEncoderThatIsFitForUseHasNoProblem(dimension: Int) async throws {
    let encoder = try HashedTextEncoder(dimension: dimension)
    let golden = GoldenVector("a dog", try await encoder.embedding(of: "a dog").vector)
    #expect(await Self.found(encoder, golden: [golden]) == [:])
  }

  @Test func smallDifferencesBetweenBatchesAreTolerated() async throws {
    let encoder = try BrokenEncoder { _, vectors, call in
      vectors.map { $0.map { $0 + (call % 2 == 0 ? 0.001 : -0.001) } }
    }
    #expect(await Self.found(encoder) == [:])
    #expect(await Self.found(encoder, tolerance: 1e-9)[.notDeterministic]?.count == 5)
  }

  @Test func anOddSpaceIsFound() async throws {
    let nameless = try BrokenEncoder(model: "") { _, vectors, _ in vectors }
    #expect(await Self.found(nameless) == [.unusableSpace: [nil]])
    for dimension in [Int.min, -1, 0, 5_000, .max] {
      let encoder = try BrokenEncoder(claimedDimension: dimension) { _, vectors, _ in vectors }
      #expect(await Self.found(encoder)[.unusableSpace] == [nil])
    }
  }

  @Test func tooFewSamplesAreNotCalledFine() async throws {
    let encoder = try HashedTextEncoder()
    #expect(await Self.found(encoder, samples: []) == [.tooFewSamples: [nil]])
    #expect(await Self.found(encoder, samples: ["a cat"]) == [.tooFewSamples: [nil]])
    #expect(await Self.found(encoder, samples: ["a cat", "a dog"]) == [:])
  }

  @Test func aSampleThatThrowsIsFound() async throws {
    let encoder = try BrokenEncoder { inputs, vectors, _ in
      if inputs.contains("snow") { throw EncodingFailure() }
      return vectors
    }
    #expect(await Self.found(encoder) == [.threw: [nil, 3]])
  }

  @Test func aSampleThatIsLeftOutIsFound() async throws {
    let encoder = try BrokenEncoder { inputs, vectors, _ in
      zip(inputs, vectors).filter { $0.0 != "snow" }.map(\.1)
    }
    #expect(await Self.found(encoder) == [.wrongCount: [nil, 3]])
  }

  @Test func anEmptyBatchThatIsNotEmptyIsFound() async throws {
    let throwing = try BrokenEncoder { inputs, vectors, _ in
      if inputs.isEmpty { throw EncodingFailure() }
      return vectors
    }
    #expect(await Self.found(throwing) == [.emptyBatchNotEmpty: [nil]])
    let padding = try BrokenEncoder { inputs, vectors, _ in inputs.isEmpty ? [[1]] : vectors }
    #expect(await Self.found(padding) == [.emptyBatchNotEmpty: [nil]])
  }

  @Test func aWrongDimensionIsFound() async throws {
    let encoder = try BrokenEncoder(claimedDimension: 65) { _, vectors, _ in vectors }
    #expect(await Self.found(encoder) == [.wrongDimension: [0, 1, 2, 3, 4]])
    let once = try BrokenEncoder { inputs, vectors, _ in
      zip(inputs, vectors).map { $0 == "snow" ? [] : $1 }
    }
    #expect(await Self.found(once) == [.wrongDimension: [3]])
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity])
  func aComponentThatIsNotFiniteIsFound(component: Float) async throws {
    let encoder = try BrokenEncoder { inputs, vectors, _ in
      zip(inputs, vectors).map { $0 == "the sea" ? $1.dropLast() + [component] : $1 }
    }
    #expect(await Self.found(encoder) == [.notFinite: [2]])
  }

  @Test(arguments: [Float(0), 1e-9])
  func aVectorOfNoLengthIsFound(scale: Float) async throws {
    let encoder = try BrokenEncoder { inputs, vectors, _ in
      zip(inputs, vectors).map { input, vector in
        input == "snow" ? vector.map { $0 * scale } : vector
      }
    }
    #expect(await Self.found(encoder) == [.zeroLength: [3]])
  }

  @Test func componentsBeyondFloat16AreFoundInASpaceThatKeepsThem() async throws {
    for (normalization, expected) in [
      (EmbeddingSpace.Normalization.none, [EncoderProblem.Kind.outOfRange: [0, 1, 2, 3, 4]]),
      (.unitLength, [:]),
    ] {
      let encoder = try BrokenEncoder(normalization: normalization) { _, vectors, _ in
        vectors.map { $0.map { $0 * 70_000 } }
      }
      #expect(await Self.found(encoder) == expected)
    }
  }

  @Test func anotherVectorForTheSameBatchIsFound() async throws {
    let encoder = try BrokenEncoder { _, vectors, call in
      vectors.map { [Float(call)] + $0.dropFirst() }
    }
    #expect(await Self.found(encoder) == [.notDeterministic: [0, 1, 2, 3, 4]])
  }

  @Test func vectorsThatDependOnTheBatchAreFound() async throws {
    // As padding that is not masked does: shorter texts change with the longest.
    let encoder = try BrokenEncoder { inputs, vectors, _ in
      let longest = inputs.map(\.count).max() ?? 0
      return zip(inputs, vectors).map { [Float(longest - $0.count) / 4] + $1.dropFirst() }
    }
    #expect(await Self.found(encoder) == [.batchDiffersFromSingle: [0, 1, 2, 3]])
  }

  @Test func aLengthThatDependsOnTheBatchIsFoundInASpaceThatKeepsIt() async throws {
    for (normalization, expected) in [
      (EmbeddingSpace.Normalization.none, [Int?]?.some([0, 1, 2, 3, 4])), (.unitLength, nil),
    ] {
      let encoder = try BrokenEncoder(normalization: normalization) { inputs, vectors, _ in
        vectors.map { $0.map { $0 * (inputs.count > 1 ? 1.1 : 1) } }
      }
      #expect(await Self.found(encoder)[.batchDiffersFromSingle] == expected)
    }
  }

  @Test func mixedUpOrderIsFound() async throws {
    let backwards = try BrokenEncoder { _, vectors, _ in vectors.reversed() }
    #expect(await Self.found(backwards) == [.orderNotKept: [0, 1, 3, 4]])
    let sorting = try BrokenEncoder { inputs, vectors, _ in
      zip(inputs, vectors).sorted { $0.0.count < $1.0.count }.map(\.1)
    }
    #expect(await Self.found(sorting) == [.orderNotKept: [0, 1, 2, 3, 4]])
  }

  @Test func vectorsThatDependOnTheirPlaceAreFound() async throws {
    // The batch given as samples is right, and so is each alone.
    let encoder = try BrokenEncoder { inputs, vectors, _ in
      guard inputs.first == Self.samples.last, inputs.count > 1 else { return vectors }
      return [vectors[1]] + vectors.dropFirst()
    }
    #expect(await Self.found(encoder) == [.orderNotKept: [4]])
  }

  @Test func oneVectorForEverythingIsFound() async throws {
    let encoder = try BrokenEncoder { _, vectors, _ in vectors.map { _ in (1...64).map(Float.init) }
    }
    #expect(await Self.found(encoder) == [.sameVectorForDifferentInputs: [1, 2, 3, 4]])
  }

  @Test func aMissedGoldenVectorIsFound() async throws {
    let encoder = try HashedTextEncoder()
    let right = try await encoder.embedding(of: "a dog").vector
    let golden = [
      GoldenVector("a dog", right.map { $0 * 3 }),
      GoldenVector("a dog", right.map { -$0 }, minimumCosine: -0.9),
      GoldenVector("a dog", Array(right.dropLast())),
      GoldenVector("a dog", right.map { $0 * 0 }, minimumCosine: -1),
      GoldenVector("a dog", right.map { _ in .nan }, minimumCosine: -1),
      GoldenVector("a big dog", right, minimumCosine: 0.1),
      GoldenVector("a big dog", right),
      GoldenVector("...", right, minimumCosine: -1),
      GoldenVector("a dog", right, minimumCosine: .nan),
    ]
    let missed = await Self.found(encoder, golden: golden)
    #expect(
      missed == [.goldenVectorMissed: [1, 2, 3, 4, 6, 7, 8]])
    let throwing = try BrokenEncoder { inputs, vectors, _ in
      if inputs == ["a dog"] { throw EncodingFailure() }
      return vectors
    }
    #expect(
      await Self.found(throwing, golden: [golden[0]]) == [.goldenVectorMissed: [0]])
  }

  @Test func theDistanceIsTheCosineDistance() async throws {
    // 0.02 radians apart: a cosine distance of 0.0002.
    let encoder = try BrokenEncoder(claimedDimension: 2) { inputs, _, _ in
      inputs.map { $0 == "a" ? [3, 0] : [5, 0.1] }
    }
    #expect(await Self.found(encoder, samples: ["a", "b"], tolerance: 0.000_199) == [:])
    #expect(
      await Self.found(encoder, samples: ["a", "b"], tolerance: 0.000_201)
        == [.sameVectorForDifferentInputs: [1]])
  }
}
