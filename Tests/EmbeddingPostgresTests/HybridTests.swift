import EmbeddingStores
import EmbeddingTestSupport
import EmbeddingTextSearch
import Foundation
import Testing

@testable import EmbeddingPostgres

@Suite(.needsServer) struct HybridTests {
  static let texts = [
    "The naïve café in Łódź, e-mail me", "Straße und Café", "東京都の写真", "京都", "sunset on the beach",
    "sunrise; sun and sea", "l'école est finie", "'quoted' & | ! <-> :* words \\ here", "Ünïcödé",
    "sea and sun", "И это тоже", "السَّلامُ", "",
  ]

  static let queries: [WordQuery] = [
    "lodz", "strasse", "cafe", "京", "京都", "東京都", "sun*", "sun sea", "\"sun and\"", "e-mail",
    "l'école", "quoted words", "unicode", "это", "السلام", "nothing", "!!!", "beach label",
    WordQuery("sun label", matching: .any), WordQuery("beach", fields: .labels),
    WordQuery("beach", fields: .text), WordQuery("two lab", completesLastWord: true),
    WordQuery("\"label two\""), WordQuery("sunr", completesLastWord: true),
  ]

  @Test func theServerFindsTheWordsThatTheDeviceFinds() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    let store = try TestRecords.store(
      Self.texts.enumerated().map { number, text in
        Record(
          key: "\(number)", vector: RandomVectors.vector(number: number, dimension: 32),
          labels: number % 2 == 0 ? ["label one", "two labels"] : ["beach", "label"], text: text)
      })
    try await table.push(store, device: "phone")
    let index = try TextIndex(of: store)
    let places: [any HybridSearching] = [index, table]
    for words in Self.queries {
      var found: [Set<String>] = []
      for place in places {
        found.append(Set(try await place.search(HybridQuery(words: words, count: 100)).map(\.key)))
      }
      #expect(found[0] == found[1], "\(words.text)")
    }
  }

  @Test func wordsAndVectorsBecomeOneOrder() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    let store = try TestRecords.store(TestRecords.records(0..<500))
    try await table.push(store, device: "phone")
    let index = try TextIndex(of: store)
    let query = HybridQuery(
      .vector(RandomVectors.vector(number: 3, dimension: 32)), words: "text version", count: 300,
      filter: Filter(labels: [.any(["dog"])]), snippetLength: 20)
    let (here, there) = (try await index.search(query), try await table.search(query))
    #expect(Set(here.map(\.key)) == Set(there.map(\.key)) && here.count == there.count)
    // The vector side is the same to the bit; words are ranked by other formulas.
    let own = Dictionary(uniqueKeysWithValues: here.map { (Array($0.key.utf8), $0) })
    for match in there {
      #expect(match.vector == own[Array(match.key.utf8)]?.vector)
      #expect(match.snippet == own[Array(match.key.utf8)]?.snippet)
    }
    let paged = HybridQuery(
      query.target, words: query.words, count: 10, offset: 5, filter: query.filter)
    #expect(try await table.search(paged).map(\.key) == there.dropFirst(5).prefix(10).map(\.key))
  }
}
