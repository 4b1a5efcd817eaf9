public import EmbeddingStores
public import Foundation

extension EmbeddingReader {
  /// Albums from clusters: those with at least `minimumCount` members, summed up and titled from
  /// labels and months. `SmartAlbums.named(by:)` gives other titles.
  ///
  /// A word counts once a member, has four letters or more, and is in two members or more. Words in
  /// more than half of all members that have a text say nothing of one album and are left out,
  /// when there is more than one. Months are those of `timeZone`, their names in a title those of
  /// `locale`. Members whose rows are gone by now count, but without labels, words and time.
  ///
  /// - Throws: `.invalidArgument` for a minimum below 1; as reading does.
  /// - Complexity: Reads labels, text and timestamp of every member; memory for the labels and words
  ///   of one album at a time, and a count for each word of all.
  public func albums(
    of clustering: Clustering, minimumCount: Int = 5, timeZone: TimeZone = .current,
    locale: Locale = .current
  ) throws(StoreError) -> SmartAlbums {
    guard minimumCount >= 1 else {
      throw StoreError(
        .invalidArgument, "An album has 1 member or more; the minimum is \(minimumCount).")
    }
    let large = clustering.clusters.filter { $0.members.count >= minimumCount }
    let small = clustering.clusters.filter { $0.members.count < minimumCount }
    let snapshot = try snapshot()
    var summaries = AlbumSummaries(timeZone: timeZone)
    for cluster in large {
      let names = cluster.members.map { ($0.row.key, $0.row.part) }
      try summaries.add(
        try LiveRows.named(names, in: snapshot).rows, memberCount: cluster.members.count)
    }
    let namer = PlainNamer(locale: locale)
    let albums = zip(large, summaries.summaries()).map { cluster, summary in
      Album(cluster: cluster, summary: summary, title: namer.title(for: summary))
    }
    return SmartAlbums(albums: albums, rest: small.flatMap { $0.members.map(\.row) })
  }
}
