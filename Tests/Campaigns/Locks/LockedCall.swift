internal import EmbeddingStores
internal import EmbeddingTestSupport
internal import Foundation

/// A kind of call to a store of `RewrittenRecords`, and how it ends.
struct LockedCall: Sendable {
  let name: String
  /// Nil when it succeeds.
  let code: StoreError.Code?
  let body: @Sendable (EmbeddingStore, URL) throws -> Void

  private init(
    _ name: String, _ code: StoreError.Code? = nil,
    _ body: @escaping @Sendable (EmbeddingStore, URL) throws -> Void
  ) {
    self.name = name
    self.code = code
    self.body = body
  }

  private static func record(_ number: Int) -> Record {
    RewrittenRecords.record(number, version: 1)
  }

  static let all: [LockedCall] = [
    LockedCall("put") { store, _ in try store.put((0..<100).map(record)) },
    LockedCall("put of a wrong dimension", .wrongDimension) { store, _ in
      try store.put(Record(key: "0", vector: [1]))
    },
    LockedCall("insert") { store, _ in try store.insert([record(9_999)]) },
    LockedCall("insert of what is there", .duplicateKey) { store, _ in
      try store.insert([record(0)])
    },
    LockedCall("update") { store, _ in
      try store.update([RecordUpdate(key: "0", text: .set("new"))])
    },
    LockedCall("update of what is not there", .notFound) { store, _ in
      try store.update([RecordUpdate(key: "none", text: .set("new"))])
    },
    LockedCall("write while another process writes", .locked) { store, url in
      let other = try Worker(["lock", url.path])
      guard other.readLine() == "locked" else { throw CocoaError(.executableLoad) }
      defer { _ = other.wait() }
      try store.put(record(3))
    },
    LockedCall("remove") { store, _ in try store.remove(["1"]) },
    LockedCall("remove of what is not there") { store, _ in try store.remove(["none"]) },
    LockedCall("search") { store, _ in _ = try store.search(for: record(2).vector, count: 3) },
    LockedCall("search with a wrong dimension", .wrongDimension) { store, _ in
      _ = try store.search(for: [1], count: 3)
    },
    LockedCall("refresh") { store, _ in try store.refresh() },
    LockedCall("synchronize") { store, _ in try store.synchronize() },
    LockedCall("verify") { store, _ in _ = try store.verify() },
    LockedCall("compact") { store, _ in try store.compact() },
    LockedCall("compact with nothing to do") { store, _ in try store.compact() },
    LockedCall("backup") { store, url in try store.backup(to: url.appendingPathExtension("b")) },
    LockedCall("backup onto another", .alreadyExists) { store, url in
      try store.backup(to: url.appendingPathExtension("b"))
    },
    LockedCall("open for reading") { _, url in _ = try EmbeddingStore(readingAt: url).count() },
    LockedCall("write to a read-only store", .readOnly) { _, url in
      try EmbeddingStore(readingAt: url).put(record(4))
    },
    LockedCall("open a second time", .alreadyOpenForWriting) { _, url in
      _ = try EmbeddingStore(at: url, space: RewrittenRecords.space)
    },
    LockedCall("prepareForSuspension") { store, _ in try store.prepareForSuspension() },
    LockedCall("removeAll") { store, _ in try store.removeAll() },
    LockedCall("close") { store, _ in try store.close() },
    LockedCall("open with another space", .spaceMismatch) { _, url in
      _ = try EmbeddingStore(at: url, space: VersionedRecords.space)
    },
    LockedCall("write to a closed store", .closed) { store, _ in try store.put(record(5)) },
  ]
}
