// MARK: - What was tried

extension EncoderProblem.Kind {
  /// A store refuses the encoder's space.
  public static let unusableSpace = Self(rawValue: "unusableSpace")
  /// With fewer than two samples, order and difference can not be seen.
  public static let tooFewSamples = Self(rawValue: "tooFewSamples")
  /// The encoder threw an error.
  public static let threw = Self(rawValue: "threw")
}

// MARK: - What each vector is like

extension EncoderProblem.Kind {
  /// There are not as many vectors as inputs.
  public static let wrongCount = Self(rawValue: "wrongCount")
  /// Encoding no inputs threw an error or gave vectors.
  public static let emptyBatchNotEmpty = Self(rawValue: "emptyBatchNotEmpty")
  /// A vector has another number of components than the space.
  public static let wrongDimension = Self(rawValue: "wrongDimension")
  /// A component is infinite or not a number.
  public static let notFinite = Self(rawValue: "notFinite")
  /// A vector is shorter than 1e-6, so it has no direction.
  public static let zeroLength = Self(rawValue: "zeroLength")
  /// A component does not fit Float16 in a space without normalisation.
  public static let outOfRange = Self(rawValue: "outOfRange")
}

// MARK: - How vectors compare

extension EncoderProblem.Kind {
  /// The same batch gave another vector the second time.
  public static let notDeterministic = Self(rawValue: "notDeterministic")
  /// An input alone gives another vector than in a batch.
  public static let batchDiffersFromSingle = Self(rawValue: "batchDiffersFromSingle")
  /// Vectors are not in the order of the inputs, or change with their place in the batch.
  public static let orderNotKept = Self(rawValue: "orderNotKept")
  /// Two inputs have one vector.
  public static let sameVectorForDifferentInputs = Self(rawValue: "sameVectorForDifferentInputs")
  /// A vector is not the one that was expected.
  public static let goldenVectorMissed = Self(rawValue: "goldenVectorMissed")
}

// MARK: - How two encoders compare

extension EncoderProblem.Kind {
  /// The encoders of a pair name different spaces.
  public static let spacesDiffer = Self(rawValue: "spacesDiffer")
  /// A query is as close to another item as to its own, or closer.
  public static let matchNotClosest = Self(rawValue: "matchNotClosest")
}
