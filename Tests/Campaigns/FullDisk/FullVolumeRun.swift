internal import EmbeddingStores
internal import EmbeddingTestSupport
internal import Foundation

/// A store on a volume that fills up at a random moment: what is stored stays readable, removing
/// works, and so does everything once there is room again.
struct FullVolumeRun {
  private static let space = EmbeddingSpace(model: "full", dimension: 64, normalization: .none)
  private static let ballast = "ballast"

  private let volume: SmallVolume
  private var generator: SeededGenerator
  private var model = StoreModel()
  private var number = 0

  init(on volume: SmallVolume, seed: UInt64) {
    self.volume = volume
    generator = SeededGenerator(seed: seed)
  }

  private var directory: URL {
    volume.url.appending(path: "store", directoryHint: .isDirectory)
  }

  private func open() throws(StoreError) -> EmbeddingStore {
    var configuration = StoreConfiguration()
    configuration.compaction = .manual
    configuration.searchThreadCount = 1
    return try EmbeddingStore(at: directory, space: Self.space, configuration: configuration)
  }

  mutating func run() throws {
    try volume.empty()
    // What other apps keep: enough that a small store can be compacted once it is gone.
    volume.fill(
      Self.ballast,
      byteCount: Int.random(in: 300_000...SmallVolume.byteCount, using: &generator))
    var store = try create()
    if let store { try useUp(store) } else { return }
    let again = try reopen(&store)
    try compare(again, "opened on the full volume")
    makeRoom()
    try goOn(with: again)
  }

  private mutating func useUp(_ store: EmbeddingStore) throws {
    while try write(to: store) {}
    try compare(store, "on the full volume")
    // Not a byte is left, whatever the write that failed has given back.
    volume.fill("rest", byteCount: SmallVolume.byteCount)
    try remove(from: store)
    _ = try isRoom { () throws(StoreError) in try store.compact() }
    try compare(store, "after removing on the full volume")
  }

  // MARK: Parts

  /// The keys that are stored, in order.
  private var keys: [String] {
    model.records.keys.sorted().map { String(decoding: $0.key, as: UTF8.self) }
  }

  /// Whether there was room; every other error is a finding.
  private func isRoom(_ body: () throws(StoreError) -> Void) throws -> Bool {
    do throws(StoreError) {
      try body()
      return true
    } catch {
      guard error.code == .noSpace else {
        throw FaultFinding("another error than noSpace: \(error)")
      }
      guard error.systemErrorNumber == ENOSPC || error.message.contains("free space") else {
        throw FaultFinding("another number than ENOSPC: \(error.systemErrorNumber)")
      }
      return false
    }
  }

  /// A new store; nil when there was no room for one and that was well borne.
  private mutating func create() throws -> EmbeddingStore? {
    var store: EmbeddingStore?
    if try isRoom({ () throws(StoreError) in store = try open() }) { return store }
    makeRoom()
    let late = try open()
    try goOn(with: late)
    return nil
  }

  /// One write; false when it found the volume full.
  private mutating func write(to store: EmbeddingStore) throws -> Bool {
    let victim = keys.first
    switch Int.random(in: 0..<20, using: &generator) {
    case 0:
      return try isRoom { () throws(StoreError) in try store.compact() }
    case 1:
      guard let victim else { return true }
      guard try isRoom({ () throws(StoreError) in try store.remove([victim]) }) else {
        return false
      }
      model.remove(victim)
      return true
    case 2:
      return try isRoom { () throws(StoreError) in try store.synchronize() }
    default:
      let records = (0..<Int.random(in: 1...40, using: &generator)).map { _ in record() }
      guard try isRoom({ () throws(StoreError) in try store.put(records) }) else { return false }
      records.forEach { model.put($0) }
      return true
    }
  }

  private mutating func record() -> Record {
    number += 1
    let byteCount = Int.random(in: 0...4_000, using: &generator)
    return Record(
      key: "key \(number)",
      vector: RandomVectors.integers(dimension: Self.space.dimension, using: &generator),
      metadata: Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* number) }))
  }

  /// A few removals succeed when the store still has its ballast.
  private mutating func remove(from store: EmbeddingStore) throws {
    let lock = directory.appending(path: "LOCK")
    let size = try FileManager.default.attributesOfItem(atPath: lock.path)[.size] as? Int
    let hasBallast = (size ?? 0) >= 65_536
    for key in keys.prefix(3) {
      if try isRoom({ () throws(StoreError) in try store.remove([key]) }) {
        model.remove(key)
      } else if hasBallast {
        throw FaultFinding("removing failed on the full volume")
      }
    }
  }

  /// Lets go of the store, closed or not, and opens it, for which no room is needed.
  private mutating func reopen(_ store: inout EmbeddingStore?) throws -> EmbeddingStore {
    if let open = store, Bool.random(using: &generator) {
      _ = try isRoom { () throws(StoreError) in try open.close() }
    }
    store = nil
    return try open()
  }

  private func makeRoom() {
    for name in [Self.ballast, "rest"] {
      try? FileManager.default.removeItem(at: volume.url.appending(path: name))
    }
  }

  /// There is room again.
  private mutating func goOn(with store: EmbeddingStore) throws {
    let gone = keys.dropFirst(5)
    try store.remove(gone)
    gone.forEach { model.remove($0) }
    let more = record()
    try store.put(more)
    model.put(more)
    try store.compact()
    try compare(store, "after compacting with room")
    try store.close()
    let again = try open()
    try compare(again, "opened again with room")
    let problems = try again.verify().problems
    guard problems.isEmpty else { throw FaultFinding("verification finds \(problems)") }
  }

  private func compare(_ store: EmbeddingStore, _ moment: String) throws {
    if let difference = model.disagreement(with: store) {
      throw FaultFinding("\(moment): \(difference)")
    }
  }
}
