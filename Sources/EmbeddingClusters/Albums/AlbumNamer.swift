/// Gives albums their titles, by whatever means: a table, a language model, a service.
public protocol AlbumNamer: Sendable {
  /// A title for an album of which no more than this is known. May take its time, and may throw:
  /// then the album keeps the title it has. Called for one album after the other.
  func title(for summary: AlbumSummary) async throws -> String
}
