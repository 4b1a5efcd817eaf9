/// Which rows count as near-duplicates of each other.
public struct DuplicateOptions: Sendable {
  /// Two rows with this score or a larger one are connected; in a normalised space from -1 to 1.
  public var minimumScore: Float
  /// When given, only rows whose timestamps are at most this far apart are connected, as the shots of a
  /// burst are; rows without a timestamp then are connected with none.
  public var timeWindow: Duration?

  /// Makes options.
  public init(minimumScore: Float, timeWindow: Duration? = nil) {
    self.minimumScore = minimumScore
    self.timeWindow = timeWindow
  }
}
