internal import EmbeddingFiles
internal import EmbeddingStores
internal import EmbeddingTestSupport

/// Opening, and finding out what the store holds where that was in doubt.
extension FaultRun {
  static let space = EmbeddingSpace(model: "faults", dimension: 8, normalization: .none)

  var configuration: StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.durability = script.durability
    configuration.compaction = .manual
    if script.journalByteCount < .max {
      configuration.compaction = CompactionPolicy(journalByteCount: script.journalByteCount)
    }
    configuration.lockTimeout = .zero
    configuration.searchThreadCount = 1
    configuration.mainFileAccess = script.isHeap ? .heap : .mapped
    configuration.verifiesOnOpen = script.verifiesOnOpen
    configuration.recovery = isSalvaging ? .salvage : .strict
    return configuration
  }

  func open(_ fileSystem: any FileSystem) throws(StoreError) -> EmbeddingStore {
    try EmbeddingStore(
      fileSystem, path: path, space: Self.space, isReadOnly: false, configuration)
  }

  mutating func openWriter() throws {
    writers[active] = nil
    let store = try open(active == 0 ? fileSystem : OtherProcess(base: fileSystem))
    wasCreated = true
    // Whatever was in doubt is seen now, and stays.
    model = try held(by: store, among: [model] + doubtful.map(\.model))
    doubtful = []
    writers[active] = Handle(store: store, shown: model)
  }

  mutating func openReader() throws {
    reader = nil
    let store = try EmbeddingStore(
      fileSystem, path: path, space: nil, isReadOnly: true, configuration)
    let shown = try held(by: store, among: [model] + doubtful.map(\.model))
    reader = Handle(store: store, shown: shown)
  }

  mutating func refreshReader() throws {
    guard let store = reader?.store else { return }
    try store.refresh()
    let shown = try held(by: store, among: [model] + doubtful.map(\.model))
    reader?.shown = shown
  }

  /// Notes what a writer shows that has just taken in everything.
  mutating func adopt(_ writer: Int) throws(FaultFinding) {
    guard let store = writers[writer]?.store else { return }
    let others = doubtful.filter { $0.writer != writer }.map(\.model)
    let shown = try held(by: store, among: [model] + others)
    writers[writer]?.shown = shown
  }

  /// Which of `candidates` a store shows.
  func held(
    by store: EmbeddingStore, among candidates: [StoreModel]
  ) throws(FaultFinding) -> StoreModel {
    var difference: String?
    for candidate in candidates {
      let found = candidate.disagreement(with: store)
      if found == nil { return candidate }
      difference = difference ?? found
    }
    throw FaultFinding("the store shows \(difference ?? "nothing")")
  }
}
