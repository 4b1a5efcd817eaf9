import EmbeddingStores
import EmbeddingTestSupport
import Foundation

/// A closed store on a simulated disk, all of it on the medium, and what it holds.
struct DamageSubject: Sendable {
  let image: DiskImage
  let model: StoreModel
  /// The same store before its last compaction.
  let earlier: DiskImage

  /// A store with `recordCount` records in its main file and a journal of every kind of change.
  init(recordCount: Int, marked mark: String = "") throws {
    let disk = SimulatedDisk(DiskImage())
    var session = try CrashSession(disk, .powerLoss, StoreModel())
    try session.put((0..<recordCount).map { session.makeRecord("record\(mark) \($0)") })
    try session.put(["a", "b", "c"].map { session.makeRecord($0 + mark) })
    try session.put([session.makeRecord("b", part: 1), session.makeRecord("b", part: 2)])
    try session.store.compact()
    try session.put([session.makeRecord("b", part: 3)])
    earlier = try disk.withState { $0.live }
    try session.store.compact()
    for step in [CrashStep.putBatch, .update, .removePart, .putNew, .remove, .putNew] {
      try session.perform(step)
    }
    try session.store.close()
    image = try disk.withState { $0.live }
    model = session.model
  }

  /// The names of the files in the store's directory.
  var names: [String] { image.names.keys.sorted() }

  /// The bytes of the file of one kind (`MANIFEST`, `main` or `journal`) in another image.
  func bytes(ofKindOf name: String, in other: DiskImage) -> [UInt8] {
    let kind = name.prefix { $0 != "-" }
    let found = other.names.first { $0.key.prefix { $0 != "-" } == kind }
    return found.flatMap { other.contents[$0.value] } ?? []
  }

  func bytes(of name: String) -> [UInt8] {
    image.names[name].flatMap { image.contents[$0] } ?? []
  }

  /// The disk with other bytes in one of its files.
  func image(replacing name: String, by bytes: [UInt8]) -> DiskImage {
    var damaged = image
    if let file = image.names[name] { damaged.contents[file] = bytes }
    return damaged
  }
}
