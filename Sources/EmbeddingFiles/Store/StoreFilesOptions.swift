/// How the files of a store are opened and used.
package struct StoreFilesOptions: Sendable {
  /// The space the store must have; nil takes whatever it has.
  package var space: SpaceDescription?
  package var isReadOnly = false
  package var createsIfMissing = true
  package var mapMode = MapMode.mapped
  package var lockTimeout = Duration.seconds(5)
  /// Open a damaged journal with the commits before the damage instead of throwing.
  package var salvagesJournal = false
  /// The L2 length of a stored row, rounded up. Asked only in spaces that are not normalised.
  package var rowLength: @Sendable (RawSpan) -> Float
  /// How compaction makes compact codes; nil for none.
  package var rowCoding: RowCoding?

  package init(space: SpaceDescription?, rowLength: @escaping @Sendable (RawSpan) -> Float) {
    self.space = space
    self.rowLength = rowLength
  }
}

/// What opening found and did.
package struct OpenSummary: Equatable, Sendable {
  package var wasCreated = false
  package var replayedCommitCount = 0
  package var replayedEntryCount = 0
  package var journalByteCount: UInt64 = 0
  /// Bytes behind the last whole commit, which will never be applied.
  package var tornTailByteCount: UInt64 = 0

  package init() {}
}
