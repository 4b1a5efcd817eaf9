internal import EmbeddingStores
internal import EmbeddingTestSupport

/// What a process does until it is killed, and what is looked at afterwards beside the records.
protocol KilledWork: Sendable {
  /// What tells a `store-worker` to do it.
  var command: String { get }
  /// When to kill it, one of these at random.
  var moments: [KilledWorkMoment] { get }
  /// Files in the store's directory after a write.
  var fileCount: Int { get }

  /// What is wrong with a store that has the records of `model`.
  func problems(
    of store: EmbeddingStore, _ model: StoreModel, using generator: inout SeededGenerator
  ) throws -> [String]
}

/// Some time after a process said that it begins with something.
struct KilledWorkMoment {
  let line: String
  /// The most microseconds to wait then.
  let window: UInt32
}

/// Writes to a store, and nothing else.
struct ScriptedWriting: KilledWork {
  let command = "script"
  let fileCount = 4
  let moments =
    [
      KilledWorkMoment(line: "opening", window: 3_000),
      KilledWorkMoment(line: "compacting", window: 3_000),
    ] + [KilledWorkMoment](repeating: KilledWorkMoment(line: "open", window: 60_000), count: 8)

  func problems(
    of store: EmbeddingStore, _ model: StoreModel, using generator: inout SeededGenerator
  ) throws -> [String] {
    []
  }
}
