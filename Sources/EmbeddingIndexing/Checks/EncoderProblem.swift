/// Something that an `EncoderCheck` found wrong with an encoder.
public struct EncoderProblem: Hashable, Sendable {
  /// What is wrong, to switch on. More may be added in later versions.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// The kind's name, such as `"notFinite"`.
    public let rawValue: String

    /// Makes a kind by name, to compare with.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }
  }

  /// What is wrong.
  public var kind: Kind
  /// The sample concerned, by its position; of golden vectors and matches, the position in those.
  /// Nil when it is not one in particular.
  public var index: Int?
  /// What was seen, and what to do about it.
  public var message: String

  init(_ kind: Kind, at index: Int? = nil, _ message: String) {
    self.kind = kind
    self.index = index
    self.message = message
  }
}

extension EncoderProblem: CustomStringConvertible {
  /// The kind, the position and the message.
  public var description: String {
    "\(kind.rawValue)\(index.map { " (\($0))" } ?? ""): \(message)"
  }
}
