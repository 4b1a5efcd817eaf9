public import EmbeddingStores

/// Looks for what goes wrong when a model becomes an encoder: vectors that depend on the batch,
/// mixed-up order, one vector for everything, inputs prepared in another way than in training.
///
/// For an app's own tests, with the real model: expect no problems. It needs no test framework.
public struct EncoderCheck: Sendable {
  /// How far vectors of one input may be apart, as a cosine distance (1 minus the cosine); and how
  /// close those of different inputs may not be. 0 or more.
  ///
  /// The default is beyond what batches differ by on GPUs and neural engines, which compute in
  /// Float16 (about 1e-4), and far below what different inputs do. In a space without normalisation
  /// the distance is |a - b|² / 2|a||b|, so that it grows with a difference in length too.
  public var tolerance: Double

  /// Makes a check.
  public init(tolerance: Double = 0.001) {
    self.tolerance = tolerance
  }

  /// What is wrong with the encoder; empty when it is fit for use.
  ///
  /// Checked are: the space; that an empty batch gives nothing; count, dimension, finite components
  /// and length of vectors; that the same batch gives the same vectors twice, the same as its
  /// inputs alone and the same as the batch reversed; that different inputs have different vectors;
  /// golden vectors. What follows from a problem that was found is not looked at.
  ///
  /// - Parameters:
  ///   - samples: two or more inputs that a user would call different, in the variety that the app
  ///     has: long and short, wide and tall. More than the encoder's own batch are better.
  ///   - golden: inputs whose vectors are known.
  /// - Complexity: each sample is encoded four times, each golden input once, and each pair of
  ///   samples is compared.
  public func problems<Encoder: EmbeddingEncoder>(
    of encoder: Encoder, samples: [Encoder.Input], golden: [GoldenVector<Encoder.Input>] = []
  ) async -> [EncoderProblem] {
    var examination = EncoderExamination(encoder, samples: samples, tolerance: tolerance)
    examination.checkSpace()
    await examination.checkEmptyBatch()
    await examination.checkSamples()
    for (index, golden) in golden.enumerated() {
      await examination.check(golden, at: index)
    }
    return examination.problems
  }
}
