internal import EmbeddingFiles

/// A frozen view of a store. Several reads of one snapshot agree with each other.
public struct Snapshot: EmbeddingReader {
  /// The space of the vectors.
  public let space: EmbeddingSpace
  let contents: Contents
  let threads: SearchThreads
  let scratch: SearchScratch

  init(_ contents: Contents, threads: SearchThreads, scratch: SearchScratch) {
    self.contents = contents
    self.threads = threads
    self.scratch = scratch
    space = EmbeddingSpace(contents.space)
  }

  /// Itself.
  public func snapshot() throws(StoreError) -> Snapshot { self }

  /// The number of the newest change in it; grows with every commit.
  public var changeNumber: UInt64 { contents.lastSequence }

  /// Live rows: one for each part of each key.
  public var count: Int { contents.liveRowCount }
}
