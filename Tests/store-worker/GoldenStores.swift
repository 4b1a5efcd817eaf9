import EmbeddingStores
import EmbeddingTestSupport
import Foundation

/// The stores that are kept in Tests/Golden: small, and together with something of everything that
/// the format version can say.
enum GoldenStores {
  static func write(below directory: URL) throws {
    try write("empty", below: directory) { _ in }
    try write("journal-only", below: directory) { try fill($0) }
    try write("compacted", below: directory) { store in
      try fill(store)
      try store.compact()
      try store.close()
    }
    try write("everything", below: directory) { store in
      try fill(store)
      try store.compact()
      try change(store)
      try store.close()
    }
    let unfinished = try write("unfinished", below: directory) { store in
      try fill(store)
      try store.compact()
      try change(store)
    }
    // What a kill in the middle of the last commit leaves.
    try cut(unfinished, "journal-2", by: 9)
    let rotated = try write("rotated", below: directory) { store in
      try fill(store)
      try store.compact()
      try change(store)
    }
    try cut(rotated, "journal-2", by: 9)
    do {
      let store = try EmbeddingStore(at: rotated, space: space, configuration: configuration)
      try store.put(Record(key: "behind the kill", vector: [1, 1, 1, 1, 1]))
    }
    try shorten(rotated)
    let wide = EmbeddingSpace(
      model: "Modell-β", revision: "2", dimension: 70, normalization: .none)
    try write("inner-product", below: directory, space: wide) { store in
      try store.put((0..<20).map { wideRecord($0) })
      try store.compact()
      try store.put((15..<25).map { wideRecord($0) })
      try store.remove(["w3"])
      try store.close()
    }
  }

  private static let space = EmbeddingSpace(model: "Modell-β", revision: "1.0", dimension: 5)

  private static var configuration: StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.compaction = .manual
    return configuration
  }

  @discardableResult
  private static func write(
    _ name: String, below directory: URL, space: EmbeddingSpace = space,
    _ body: (EmbeddingStore) throws -> Void
  ) throws -> URL {
    let parent = directory.appending(path: name, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    let url = parent.appending(path: "store", directoryHint: .isDirectory)
    do {
      let store = try EmbeddingStore(at: url, space: space, configuration: configuration)
      try body(store)
    }
    try shorten(url)
    return url
  }

  /// Takes the ballast out of LOCK, as a full volume does: it is zeros that nobody has to keep.
  private static func shorten(_ store: URL) throws {
    let lock = try FileHandle(forWritingTo: store.appending(path: "LOCK"))
    try lock.truncate(atOffset: 1)
    try lock.close()
  }

  private static func cut(_ store: URL, _ name: String, by byteCount: UInt64) throws {
    let file = try FileHandle(forWritingTo: store.appending(path: name))
    try file.truncate(atOffset: file.seekToEnd() - byteCount)
    try file.close()
  }
}

// MARK: - What is in them

extension GoldenStores {
  private static func full(_ key: String, part: UInt16 = 0) -> Record {
    Record(
      key: key, vector: [1, -2, 3, -4, Float(key.utf8.count)], part: part,
      timestamp: Date(timeIntervalSince1970: 1_700_000_000.123),
      labels: ["dog", "beach", "Straße", "🏖️", "e\u{301}t\u{e9}"],
      metadata: Data([0, 1, 254, 255]), text: "Ωords, emoji 👩‍👩‍👧‍👦 and a zero \u{0} byte")
  }

  private static func fill(_ store: EmbeddingStore) throws {
    try store.put([
      full("IMG_0001"), full("IMG_0001", part: 7), full("panorama", part: 65_535),
      Record(key: "plain", vector: [1, 0, 0, 0, 0]),
      Record(key: "tied with plain", vector: [1, 0, 0, 0, 0]),
      Record(key: "caf\u{e9}", vector: [0, 1, 0, 0, 0], labels: ["composed"]),
      Record(key: "cafe\u{301}", vector: [0, 0, 1, 0, 0], labels: ["decomposed"]),
      Record(key: "before 1970", vector: [1, 1, 0, 0, 0], timestamp: Date.distantPast),
      Record(key: "1970", vector: [1, 1, 1, 0, 0], timestamp: Date(timeIntervalSince1970: 0)),
      Record(key: "only metadata", vector: [2, 1, 0, 0, 0], metadata: Data([7])),
      Record(key: "only text", vector: [2, 1, 1, 0, 0], text: "seven"),
      Record(key: "both empty", vector: [3, 1, 1, 1, 1], metadata: Data(), text: ""),
      Record(
        key: "long", vector: [-3, 1, -1, 1, 1], text: String(repeating: "all work ", count: 200)),
    ])
    try store.put(
      (0..<20).map { number in
        Record(
          key: "many/\(number)", vector: RandomVectors.vector(number: number, dimension: 5),
          timestamp: Date(timeIntervalSince1970: Double(number) * 86_400),
          labels: Set((0..<number % 4).map { "label \($0)" }))
      })
  }

  /// Leaves dead rows in the main file and in the journal, and entries of every type but one.
  private static func change(_ store: EmbeddingStore) throws {
    try store.put([full("new"), full("IMG_0001"), full("panorama", part: 1)])
    try store.put(Record(key: "plain", vector: [9, 9, 9, 9, 9], text: "now with words"))
    try store.update([
      RecordUpdate(key: "many/1", timestamp: .removed, labels: .set(["relabelled"])),
      RecordUpdate(key: "panorama", part: 1, metadata: .removed, text: .removed),
      RecordUpdate(key: "many/2", metadata: .set(Data()), text: .set("")),
    ])
    try store.remove("IMG_0001", part: 7)
    try store.remove(["only text", "many/4", "many/5"])
    try store.put([Record(key: "many/4", vector: [1, 2, 1, 2, 1]), full("last", part: 3)])
  }

  private static func wideRecord(_ number: Int) -> Record {
    Record(
      key: "w\(number)", vector: RandomVectors.vector(number: number, dimension: 70),
      part: UInt16(number % 2))
  }
}
