internal import EmbeddingStores

/// One run of an `EncoderCheck`: encodes and keeps what is wrong.
struct EncoderExamination<Encoder: EmbeddingEncoder> {
  let encoder: Encoder
  let samples: [Encoder.Input]
  let tolerance: Double
  let comparison: VectorComparison
  var problems: [EncoderProblem] = []

  init(_ encoder: Encoder, samples: [Encoder.Input], tolerance: Double) {
    self.encoder = encoder
    self.samples = samples
    self.tolerance = tolerance
    comparison = VectorComparison(encoder.space)
  }

  mutating func report(
    _ kind: EncoderProblem.Kind, at index: Int? = nil, _ message: String
  ) {
    problems.append(EncoderProblem(kind, at: index, message))
  }

  mutating func checkSpace() {
    do throws(StoreError) {
      _ = try EmbeddingStore(inMemory: encoder.space)
    } catch {
      report(.unusableSpace, "No store can have the encoder's space. \(error.message)")
    }
  }

  mutating func checkEmptyBatch() async {
    do {
      let vectors = try await encoder.encode([])
      if vectors.isEmpty { return }
      report(
        .emptyBatchNotEmpty,
        "No inputs gave \(vectors.count) vectors. Return an empty array for an empty one.")
    } catch {
      report(
        .emptyBatchNotEmpty,
        "No inputs threw an error: \(error). Return an empty array for an empty one.")
    }
  }

  /// As many vectors as inputs; nil after reporting why not.
  mutating func vectors(of inputs: [Encoder.Input], at index: Int? = nil) async -> [[Float]]? {
    do {
      let vectors = try await encoder.encode(inputs)
      if vectors.count == inputs.count { return vectors }
      report(
        .wrongCount, at: index,
        "\(inputs.count) inputs gave \(vectors.count) vectors. Throw when an input can not be "
          + "encoded; do not leave it out.")
    } catch {
      report(
        .threw, at: index,
        "Encoding \(inputs.count) inputs threw an error: \(error). Use samples that can be "
          + "encoded, or see to the encoder.")
    }
    return nil
  }

  /// Why a store would refuse the vector, if it would.
  func defect(of vector: [Float]) -> (kind: EncoderProblem.Kind, message: String)? {
    let dimension = encoder.space.dimension
    guard vector.count == dimension else {
      return (
        .wrongDimension,
        "The vector has \(vector.count) components; the space has \(dimension). Name the dimension "
          + "of the model's output, and return one vector for each input, without a batch axis."
      )
    }
    if let component = vector.firstIndex(where: { !$0.isFinite }) {
      return (
        .notFinite,
        "Component \(component) is \(vector[component]). Look for an overflow in Float16, or a "
          + "division by a length of 0."
      )
    }
    let length = VectorComparison.length(vector)
    guard length >= VectorComparison.shortestLength else {
      return (
        .zeroLength,
        "The vector has length \(length) and so no direction. See that the model's output is read "
          + "after it was computed, and that the input is not empty."
      )
    }
    guard encoder.space.normalization == .none,
      let component = vector.firstIndex(where: { abs($0) > 65_504 })
    else { return nil }
    return (
      .outOfRange,
      "Component \(component) is \(vector[component]), beyond the 65,504 that Float16 can hold. "
        + "Scale vectors down, or use a normalised space."
    )
  }

  mutating func check(_ golden: GoldenVector<Encoder.Input>, at index: Int) async {
    let seen: String
    do {
      let vectors = try await encoder.encode([golden.input])
      let distance = comparison.distance(vectors.first ?? [], golden.vector)
      if vectors.count == 1, 1 - distance >= golden.minimumCosine { return }
      seen =
        vectors.first?.count != golden.vector.count
        ? "has \(vectors.first?.count ?? 0) components, not \(golden.vector.count)"
        : "has a cosine of \(1 - distance), not \(golden.minimumCosine) or more, with it"
    } catch {
      seen = "threw an error: \(error)"
    }
    report(
      .goldenVectorMissed, at: index,
      "What the encoder gives for the input of this golden vector \(seen). Compare size, crop, "
        + "colour order, mean and deviation of images, or the tokens of texts, with the original.")
  }
}
