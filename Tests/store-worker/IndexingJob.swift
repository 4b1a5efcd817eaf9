import EmbeddingIndexing
import EmbeddingStores
import EmbeddingTestSupport
import Foundation

/// What a process that indexes is told: `index`, `migrate` or `switch-back`, and then where, how
/// many items of which version, to which space, where to note what is encoded, the size of a batch
/// and how many microseconds it takes.
struct IndexingJob {
  let command: String
  let directory: URL
  let source: ScriptedSource
  let encoder: NotingEncoder
  let options: IndexingOptions

  init(_ words: [String]) throws {
    let numbers = words.dropFirst(3).compactMap { Int($0) }
    guard words.count == 9, numbers.count == 5,
      let version = ScriptedItem.Version(rawValue: numbers[1])
    else { exit(2) }
    command = words[1]
    directory = URL(filePath: words[2], directoryHint: .isDirectory)
    source = ScriptedSource(items: ScriptedItem.all(numbers[0], in: version))
    encoder = try NotingEncoder(
      space: ScriptedItem.space(numbers[2]), notes: URL(filePath: words[8]),
      delay: .microseconds(numbers[4]))
    var options = IndexingOptions()
    options.batchSize = numbers[3]
    self.options = options
  }

  /// Compacts often, and says when.
  var configuration: StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.compaction = CompactionPolicy(journalByteCount: 16 << 10) { compaction in
      StoreWorker.say("compacting")
      compaction()
      StoreWorker.say("compacted")
    }
    return configuration
  }
}

/// One part of an item.
struct ScriptedInput: Sendable {
  let item: ScriptedItem
  let part: Int
}

/// Lists and loads scripted items.
struct ScriptedSource: ItemSource {
  let items: [ScriptedItem]

  func pages() -> AsyncThrowingStream<[SourceItem], any Error> {
    InMemorySource(items.map { (item: SourceItem($0), input: $0) }).pages()
  }

  func inputs(of item: SourceItem) async throws -> [ScriptedInput] {
    guard let number = Int(item.key.dropFirst("item ".count)), let version = items.first?.version
    else { throw ItemUnavailable("It is not of this source.") }
    let item = ScriptedItem(number, in: version)
    switch item.defect {
    case .unavailable: throw ItemUnavailable("It is elsewhere.")
    case .unreadable: throw CocoaError(.fileReadCorruptFile)
    case .notFinite, nil: return (0..<item.partCount).map { ScriptedInput(item: item, part: $0) }
    }
  }
}

extension SourceItem {
  fileprivate init(_ item: ScriptedItem) {
    self.init(
      key: item.key, revision: item.revision, timestamp: item.timestamp, labels: item.labels,
      metadata: item.metadata, text: item.text)
  }
}

/// Notes the numbers of the items of each batch, in a line of its own, before it gives their vectors
/// away.
struct NotingEncoder: EmbeddingEncoder {
  let space: EmbeddingSpace
  private let descriptor: Int32
  private let delay: Duration

  init(space: EmbeddingSpace, notes: URL, delay: Duration) throws {
    self.space = space
    self.delay = delay
    descriptor = open(notes.path, O_WRONLY | O_CREAT | O_APPEND, 0o644)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  func encode(_ inputs: [ScriptedInput]) async throws -> [[Float]] {
    StoreWorker.say("encoding")
    try note(inputs.filter { $0.part == 0 }.map(\.item.number))
    try await Task.sleep(for: delay)
    defer { StoreWorker.say("storing") }
    return inputs.map { $0.item.vector(part: $0.part, in: space) }
  }

  private func note(_ numbers: [Int]) throws {
    let line = Array("\(numbers.map(String.init).joined(separator: " "))\n".utf8)
    guard write(descriptor, line, line.count) == line.count else {
      throw CocoaError(.fileWriteUnknown)
    }
  }
}
