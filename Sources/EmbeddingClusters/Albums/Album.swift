/// A cluster as it is shown to a user.
public struct Album: Identifiable, Equatable, Sendable {
  /// The id of its cluster.
  public var id: Int { cluster.id }
  /// The cluster, with members, cohesion and cover.
  public let cluster: Cluster
  /// What its members have in common.
  public let summary: AlbumSummary
  /// A title from labels and months, or from a namer.
  public internal(set) var title: String
  /// What a namer threw for this album, in words; nil when it did not.
  public internal(set) var namingFailure: String?
}

/// Albums, and the rows that are in none.
public struct SmartAlbums: Equatable, Sendable {
  /// The largest first.
  public internal(set) var albums: [Album]
  /// Members of clusters that were too small, in the order of their clusters.
  public let rest: [RowIdentity]

  /// The same albums with titles from a namer.
  ///
  /// An album for which the namer throws or gives only white space keeps its title, and says so in
  /// `namingFailure`. When the task is cancelled the albums that have no new title yet keep theirs.
  public func named(by namer: some AlbumNamer) async -> SmartAlbums {
    var named = self
    for index in albums.indices {
      guard !Task.isCancelled else { break }
      named.albums[index].namingFailure = nil
      do {
        let title = try await namer.title(for: albums[index].summary)
        if title.allSatisfy(\.isWhitespace) {
          named.albums[index].namingFailure = "The namer gave an empty title."
        } else {
          named.albums[index].title = title
        }
      } catch {
        named.albums[index].namingFailure = "\(error)"
      }
    }
    return named
  }
}
