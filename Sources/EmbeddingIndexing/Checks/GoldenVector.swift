/// An input and the vector that it should have, such as the one that the model's authors' own code
/// gives. It finds wrong preparation of inputs, which no other check sees.
public struct GoldenVector<Input> {
  /// What is encoded, alone.
  public var input: Input
  /// What it should become; of any length in a space that normalises.
  public var vector: [Float]
  /// How close the encoder must come, in -1...1.
  ///
  /// Conversions of a model to Float16 usually stay above 0.999; another way of scaling images may
  /// fall below 0.99. In a space without normalisation a difference in length counts too, as in
  /// `EncoderCheck.tolerance`.
  public var minimumCosine: Double

  /// Joins an input and what it should become.
  public init(_ input: Input, _ vector: [Float], minimumCosine: Double = 0.999) {
    self.input = input
    self.vector = vector
    self.minimumCosine = minimumCosine
  }
}

extension GoldenVector: Sendable where Input: Sendable {}
extension GoldenVector: Equatable where Input: Equatable {}
