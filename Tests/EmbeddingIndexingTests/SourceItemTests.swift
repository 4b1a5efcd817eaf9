import EmbeddingIndexing
import Testing

@Suite struct SourceItemTests {
  @Test func anItemHasNoTimestampUnlessGivenOne() {
    #expect(SourceItem(key: "a").timestamp == nil)
  }
}
