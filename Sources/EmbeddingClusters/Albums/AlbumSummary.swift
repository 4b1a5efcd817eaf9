/// What a namer learns about an album: counts and words, never vectors or pictures.
public struct AlbumSummary: Equatable, Codable, Sendable {
  /// A label or a word, and how many members have it.
  public struct Tally: Equatable, Codable, Sendable {
    /// The label or word.
    public let text: String
    /// Members that have it.
    public let count: Int

    /// Makes a tally.
    public init(text: String, count: Int) {
      self.text = text
      self.count = count
    }
  }

  /// Members of the album.
  public let count: Int
  /// The five most frequent labels at most, then by their order as strings.
  public let labels: [Tally]
  /// The five most frequent words of the members' texts at most, in lower case; see
  /// `EmbeddingReader.albums(of:minimumCount:timeZone:locale:)`.
  public let words: [Tally]
  /// The months of the first and the last timestamp; nil when no member has one.
  public let months: ClosedRange<Month>?

  /// Makes a summary, to try a namer with.
  public init(count: Int, labels: [Tally], words: [Tally], months: ClosedRange<Month>?) {
    self.count = count
    self.labels = labels
    self.words = words
    self.months = months
  }
}
