import EmbeddingFiles
import EmbeddingStores
import EmbeddingTestSupport
import Foundation

/// Small stores, each different in what its files hold.
enum SeedStore {
  static func all() throws -> [MemoryFileSystem] {
    [
      try make(.none) { _ in },
      try make(.none) { try $0.put(records(2)) },
      try make(.unitLength) { store in
        try store.put(records(3))
        try store.compact()
      },
      try make(.none) { store in
        try store.put(records(4))
        try store.compact()
        try store.remove(["key 1"])
        try store.update([RecordUpdate(key: "key 0", labels: .set(["new"]), text: .removed)])
        try store.put(records(1))
      },
      try make(.unitLength) { store in
        try store.put(records(2))
        try store.removeAll()
        try store.compact()
        try store.put(records(1))
        try store.remove("key 0", part: 0)
      },
      try make(.none) { store in
        try store.put((0..<3).map { Record(key: "bare \($0)", vector: [1, 0, Float($0), 0]) })
        try store.compact()
      },
    ]
  }

  static func make(
    _ normalization: EmbeddingSpace.Normalization, _ fill: (EmbeddingStore) throws -> Void
  ) throws -> MemoryFileSystem {
    let fileSystem = MemoryFileSystem()
    let space = EmbeddingSpace(model: "m", dimension: 4, normalization: normalization)
    let store = try EmbeddingStore(
      fileSystem, path: StoreImage.path, space: space, isReadOnly: false, .fuzzed)
    try fill(store)
    try store.close()
    return fileSystem
  }

  /// Records with parts, labels, metadata that compresses, and text, and without.
  private static func records(_ count: Int) -> [Record] {
    (0..<count).map(record)
  }

  private static func record(_ number: Int) -> Record {
    var record = Record(
      key: "key \(number / 2)", vector: RandomVectors.vector(number: number, dimension: 4),
      part: UInt16(number % 2))
    if number != 1 { record.timestamp = Date(timeIntervalSince1970: Double(number) * 1e6) }
    if number != 2 { record.metadata = Data(repeating: UInt8(number), count: 40 * number) }
    if number != 0 {
      record.labels = ["a", "label \(number)"]
      record.text = String(repeating: "text ", count: number)
    }
    return record
  }
}

extension StoreConfiguration {
  /// One thread, no compaction by itself, and no waiting for locks.
  static var fuzzed: StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.compaction = .manual
    configuration.searchThreadCount = 1
    configuration.lockTimeout = .zero
    return configuration
  }
}
