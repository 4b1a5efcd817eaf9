import EmbeddingFiles
import EmbeddingStores
import Foundation
import Testing

/// `Tests/Reader/read_store.py` knows the file format from Docs/FileFormat.md alone. What it reads
/// must be what the library says is there, and neither may miss a flipped bit.
@Suite(.enabled(if: PythonReader.isAvailable, "There is no python3 here."))
struct IndependentReaderTests {
  @Test(arguments: SampleStore.allCases)
  func readsWhatTheLibrarySays(_ sample: SampleStore) throws {
    try withTemporaryDirectory { directory in
      let store = try sample.write(to: directory.appending(path: "store"))
      let reading = try PythonReader.readStore(directory.appending(path: "store"))
      #expect(reading.notes.isEmpty)
      #expect(try reading.records == ReadRecord.all(of: store))
      #expect(try store.verify().isIntact)
    }
  }

  @Test func leavesOutAnUnfinishedAppendAndSaysSo() throws {
    try withTemporaryDirectory { directory in
      let path = directory.appending(path: "store")
      let expected = try ReadRecord.all(of: SampleStore.compactedWithJournal.write(to: path))
      let journal = try FileHandle(forWritingTo: path.appending(path: "journal-2"))
      try journal.seekToEnd()
      try journal.write(contentsOf: Data("EJ\u{1} an append that a kill cut short".utf8))
      try journal.close()

      let reading = try PythonReader.readStore(path)
      #expect(reading.records == expected)
      #expect(reading.notes.contains("unfinished append"))
      let store = try EmbeddingStore(readingAt: path)
      #expect(store.openReport.unfinishedByteCount > 0)
      #expect(try ReadRecord.all(of: store) == expected)
    }
  }

  @Test func refusesAJournalThatIsShorterThanTheManifestKnows() throws {
    try withTemporaryDirectory { directory in
      let path = directory.appending(path: "store")
      try SampleStore.compactedWithJournal.write(to: path).close()
      let journal = try FileHandle(forWritingTo: path.appending(path: "journal-2"))
      try journal.truncate(atOffset: journal.seekToEnd() - 8)
      try journal.close()
      let reading = try PythonReader.run("read_store.py", [path.path(percentEncoded: false)])
      #expect(reading.status == 1)
      #expect(reading.error.contains("journal: damaged"))
      #expect(throws: StoreError.self) { try EmbeddingStore(readingAt: path) }
    }
  }

  /// Every byte of the files, but only every 64th of the header's zeros, which take longest.
  @Test(arguments: [true, false])
  func noticesEveryFlippedBit(isClosed: Bool) throws {
    try withTemporaryDirectory { directory in
      let path = directory.appending(path: "store")
      let store = try SampleStore.writeSmall(to: path)
      if isClosed { try store.close() }
      let seed = UInt32.random(in: .min ... .max)
      let flips = try PythonReader.run(
        "flip_bits.py",
        [path.path(percentEncoded: false), "\(seed)", "64", "journal-2"]
          + (isClosed ? ["MANIFEST", "main-2"] : []))
      print(flips.output, terminator: "")
      #expect(flips.status == 0, "seed \(seed): \(flips.error)")
    }
  }
}

/// The same flips, against the library.
@Suite struct FlippedBitTests {
  @Test func everyFlipInAClosedStoreIsAnError() throws {
    let files = try SmallStoreFiles(isClosed: true)
    let outcomes = try files.flipEveryByte { error, _, problems in
      error != nil || !problems.isEmpty
    }
    #expect(outcomes.unnoticed.isEmpty, "seed \(outcomes.seed)")
    #expect(outcomes.count > 16_384)
  }

  @Test func aFlipInAJournalThatWasNeverSyncedIsAtLeastAnUnfinishedAppend() throws {
    let files = try SmallStoreFiles(isClosed: false)
    let outcomes = try files.flipEveryByte(in: "journal-2") { error, unfinished, _ in
      error != nil || unfinished > 0
    }
    #expect(outcomes.unnoticed.isEmpty, "seed \(outcomes.seed)")
  }
}

// MARK: - Stores to read

/// Stores that together hold everything that the format can say.
enum SampleStore: CaseIterable, CustomTestStringConvertible {
  case empty, inJournal, compacted, compactedWithJournal, removedAll, largeDetails, plainVectors
  case rotatedJournal

  var testDescription: String { "\(self)" }

  @discardableResult
  func write(to path: URL) throws -> EmbeddingStore {
    switch self {
    case .empty:
      return try Self.open(path)
    case .inJournal:
      let store = try Self.open(path)
      try Self.fill(store)
      return store
    case .compacted:
      let store = try Self.open(path)
      try Self.fill(store)
      try store.compact()
      return store
    case .compactedWithJournal:
      let store = try Self.open(path)
      try Self.fill(store)
      try store.compact()
      try Self.change(store)
      return store
    case .removedAll:
      let store = try Self.open(path)
      try Self.fill(store)
      try store.compact()
      try store.removeAll()
      try store.put([Record(key: "plain", vector: [4, 3, 2, 1, 0]), Self.full("after", part: 9)])
      return store
    case .largeDetails:
      let store = try Self.open(path)
      try Self.fillLarge(store)
      try store.compact()
      return store
    case .plainVectors:
      let store = try Self.open(path, normalization: .none)
      try store.put([
        Record(key: "zero", vector: [0, 0, 0, 0, 0]),
        Record(key: "large", vector: [65_504, -65_504, 6e-8, -6e-8, 1]),
      ])
      try store.compact()
      try store.put(Record(key: "tenth", vector: [0.1, -0.1, 0.2, 3, 1e4]))
      return store
    case .rotatedJournal:
      try Self.compactedWithJournal.write(to: path)
      let journal = try FileHandle(forWritingTo: path.appending(path: "journal-2"))
      try journal.seekToEnd()
      try journal.write(contentsOf: Data([0, 0, 0]))
      try journal.close()
      let store = try Self.open(path)
      try store.put(Record(key: "behind the kill", vector: [1, 1, 1, 1, 1]))
      return store
    }
  }

  /// Few bytes, and still some of everything: a main file, and a journal with several commits.
  static func writeSmall(to path: URL) throws -> EmbeddingStore {
    let store = try open(path)
    try store.put([full("a", part: 3), Record(key: "b", vector: [1, 2, 3, 4, 5])])
    try store.compact()
    try store.put(full("c"))
    try store.update([RecordUpdate(key: "b", labels: .set(["é"]), text: .set("bee"))])
    try store.remove(["a"])
    try store.removeAll()
    try store.put([full("d"), Record(key: "e", vector: [5, 4, 3, 2, 1])])
    return store
  }

  private static func open(
    _ path: URL, normalization: EmbeddingSpace.Normalization = .unitLength
  ) throws -> EmbeddingStore {
    var configuration = StoreConfiguration()
    configuration.compaction = .manual
    return try EmbeddingStore(
      at: path,
      space: EmbeddingSpace(
        model: "Modell-β", revision: "1.0", dimension: 5, normalization: normalization),
      configuration: configuration)
  }

  private static func full(_ key: String, part: UInt16 = 0) -> Record {
    Record(
      key: key, vector: [1, -2, 3, -4, Float(key.utf8.count)], part: part,
      timestamp: Date(timeIntervalSince1970: 1_700_000_000.123),
      labels: ["dog", "beach", "Straße", "🏖️", "e\u{301}t\u{e9}"],
      metadata: Data([0, 1, 254, 255]), text: "Ωords, emoji 👩‍👩‍👧‍👦 and a zero \u{0} byte",
      revision: Revision("\(key) \(part)"))
  }

  private static func fill(_ store: EmbeddingStore) throws {
    try store.put([
      full("IMG_0001"),
      Record(key: "plain", vector: [1, 0, 0, 0, 0]),
      Record(key: "caf\u{e9}", vector: [0, 1, 0, 0, 0], labels: ["composed"]),
      Record(key: "cafe\u{301}", vector: [0, 0, 1, 0, 0], labels: ["decomposed"]),
      Record(key: "👩‍👩‍👧‍👦🏳️‍🌈", vector: [0, 0, 0, 1, 0], text: "family"),
      Record(key: String(repeating: "k", count: 65_535), vector: [0, 0, 0, 0, 1]),
      Record(key: "before 1970", vector: [1, 1, 0, 0, 0], timestamp: Date.distantPast),
      Record(key: "1970", vector: [1, 1, 1, 0, 0], timestamp: Date(timeIntervalSince1970: 0)),
      Record(key: "only metadata", vector: [2, 1, 0, 0, 0], metadata: Data([7])),
      Record(key: "only text", vector: [2, 1, 1, 0, 0], text: "seven"),
      Record(key: "empty metadata", vector: [2, 1, 1, 1, 0], metadata: Data()),
      Record(key: "empty text", vector: [2, 1, 1, 1, 1], text: ""),
      Record(key: "both empty", vector: [3, 1, 1, 1, 1], metadata: Data(), text: ""),
    ])
    try store.put((0..<70).map { full("panorama", part: UInt16($0 * 900)) })
    try store.put((0..<200).map(numbered))
  }

  private static func numbered(_ number: Int) -> Record {
    let components: [Float] = (0..<5).map { Float(number % (11 + $0)) + 0.5 }
    let labels = (0..<number % 5).map { "label \($0 * number)" }
    return Record(
      key: "many/\(number)", vector: components,
      timestamp: Date(timeIntervalSince1970: Double(number) * 86_400), labels: Set(labels))
  }

  /// Touches rows of the main file and of the journal in every way there is.
  private static func change(_ store: EmbeddingStore) throws {
    try store.put([full("new"), full("IMG_0001"), full("panorama", part: 1)])
    try store.put(Record(key: "plain", vector: [9, 9, 9, 9, 9], text: "now with words"))
    try store.update([
      RecordUpdate(key: "many/1", timestamp: .removed, labels: .set(["relabelled"])),
      RecordUpdate(key: "panorama", part: 1, metadata: .removed, text: .removed),
      RecordUpdate(key: "panorama", part: 900, labels: .removed),
      RecordUpdate(key: "many/2", metadata: .set(Data()), text: .set("")),
      RecordUpdate(
        key: "1970", timestamp: .set(Date(timeIntervalSince1970: -0.001)), text: .set("late")),
      RecordUpdate(key: "many/3"),
    ])
    try store.remove("panorama", part: 1_800)
    try store.remove(["only text", "many/4", "many/5", "unknown"])
    try store.put(Record(key: "many/4", vector: [1, 2, 1, 2, 1]))
    try store.put([full("twice"), Record(key: "twice", vector: [0, 0, 7, 0, 0])])
    try store.remove(["cafe\u{301}"])
  }

  /// Details of one block and of several, those that LZ4 packs and those that it can not.
  private static func fillLarge(_ store: EmbeddingStore) throws {
    var generator = SystemRandomNumberGenerator()
    let noise = { (count: Int) in
      Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }
    try store.put([
      Record(
        key: "text", vector: [1, 0, 0, 0, 0], text: String(repeating: "all work ", count: 20_000)),
      Record(key: "noise", vector: [0, 1, 0, 0, 0], metadata: noise(100_000)),
      Record(
        key: "zeros", vector: [0, 0, 1, 0, 0], metadata: Data(count: 300_000), text: "behind"),
      Record(key: "one byte", vector: [0, 0, 0, 1, 0], metadata: Data([1])),
    ])
    try store.put(
      (0..<300).map { number in
        Record(
          key: "small \(number)", vector: [0, 0, 0, 1, Float(number)],
          metadata: number % 3 == 0 ? noise(number * 4) : nil,
          text: number % 2 == 0 ? String(repeating: "page \(number) ", count: 40) : nil)
      })
  }
}

/// A small store in memory whose bytes can be damaged one by one.
private struct SmallStoreFiles {
  let fileSystem = MemoryFileSystem()
  let files: [(name: String, bytes: [UInt8])]

  init(isClosed: Bool) throws {
    files = try withTemporaryDirectory { directory in
      let path = directory.appending(path: "store")
      let store = try SampleStore.writeSmall(to: path)
      if isClosed { try store.close() }
      return try ["MANIFEST", "main-2", "journal-2"].map {
        ($0, [UInt8](try Data(contentsOf: path.appending(path: $0))))
      }
    }
    try fileSystem.createDirectory("/store")
    for (name, bytes) in files {
      let file = try fileSystem.open("/store/\(name)", .create)
      try bytes.withRawSpan { try file.write($0, at: 0) }
    }
  }

  /// Flips one bit of each byte in turn, opens and verifies the store, and asks `isNoticed`.
  func flipEveryByte(
    in only: String? = nil, _ isNoticed: (StoreError?, _ unfinished: Int, [StoreError]) -> Bool
  ) throws -> (seed: UInt64, count: Int, unnoticed: [String]) {
    let seed = UInt64.random(in: .min ... .max)
    var state = seed
    var count = 0
    var unnoticed: [String] = []
    for (name, bytes) in files where only == nil || only == name {
      let file = try fileSystem.open("/store/\(name)", .readWrite)
      for (offset, byte) in bytes.enumerated() {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let bit = UInt8(truncatingIfNeeded: state >> 61)
        try [byte ^ (1 << bit)].withRawSpan { try file.write($0, at: UInt64(offset)) }
        let (error, unfinished, problems) = look()
        if !isNoticed(error, unfinished, problems) {
          unnoticed.append("\(name) byte \(offset) bit \(bit)")
        }
        try [byte].withRawSpan { try file.write($0, at: UInt64(offset)) }
        count += 1
      }
    }
    let (error, unfinished, problems) = look()
    #expect(error == nil && unfinished == 0 && problems.isEmpty, "The store is whole again.")
    return (seed, count, unnoticed)
  }

  private func look() -> (StoreError?, unfinished: Int, [StoreError]) {
    do throws(StoreError) {
      let store = try EmbeddingStore(
        fileSystem, path: "/store", space: nil, isReadOnly: true, StoreConfiguration())
      return (nil, store.openReport.unfinishedByteCount, try store.verify().problems)
    } catch {
      return (error, 0, [])
    }
  }
}

// MARK: - What was read

/// A record as the Python reader prints it, and as the library's API tells it; strings as bytes,
/// since Swift takes composed and decomposed letters for the same.
struct ReadRecord: Equatable {
  var key: [UInt8]
  var part: UInt16
  var timestamp: Int64?
  var changeNumber: UInt64
  var labels: [[UInt8]]
  var metadata: [UInt8]?
  var text: [UInt8]?
  var revision: UInt64?
  var vector: [Float]

  /// Every live record, by key and part.
  static func all(of store: EmbeddingStore) throws -> [ReadRecord] {
    let snapshot = try store.snapshot()
    let rows = try snapshot.rows(changedSince: 0)
    #expect(rows.count == snapshot.count)
    return try rows.map { row in
      let record = try #require(try snapshot.record(for: row.key, part: row.part))
      return ReadRecord(
        key: Array(row.key.utf8), part: row.part,
        timestamp: record.timestamp.map { Int64(($0.timeIntervalSince1970 * 1_000).rounded()) },
        changeNumber: row.changeNumber,
        labels: record.labels.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) },
        metadata: record.metadata.map { [UInt8]($0) }, text: record.text.map { Array($0.utf8) },
        revision: record.revision?.rawValue, vector: record.vector)
    }
    .sorted { ($0.key, $0.part) < ($1.key, $1.part) }
  }
}

extension ReadRecord: Decodable {
  private enum CodingKeys: CodingKey {
    case key, part, timestamp, changeNumber, labels, metadata, text, revision, vector
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    key = Array(try values.decode(String.self, forKey: .key).utf8)
    part = try values.decode(UInt16.self, forKey: .part)
    timestamp = try values.decodeIfPresent(Int64.self, forKey: .timestamp)
    changeNumber = try values.decode(UInt64.self, forKey: .changeNumber)
    labels = try values.decode([String].self, forKey: .labels).map { Array($0.utf8) }
    metadata = try values.decodeIfPresent(String.self, forKey: .metadata).map(Self.bytes)
    text = try values.decodeIfPresent(String.self, forKey: .text).map { Array($0.utf8) }
    revision = try values.decodeIfPresent(UInt64.self, forKey: .revision)
    vector = try values.decode([Double].self, forKey: .vector).map { Float($0) }
  }

  private static func bytes(hexadecimal: String) -> [UInt8] {
    var digits = hexadecimal.utf8.makeIterator()
    var bytes: [UInt8] = []
    while let high = digits.next().flatMap(digit), let low = digits.next().flatMap(digit) {
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    Character(Unicode.Scalar(character)).hexDigitValue.map { UInt8($0) }
  }
}

private func < (first: ([UInt8], UInt16), second: ([UInt8], UInt16)) -> Bool {
  first.0 == second.0 ? first.1 < second.1 : first.0.lexicographicallyPrecedes(second.0)
}

/// The scripts in Tests/Reader.
enum PythonReader {
  struct Outcome {
    var status: Int32
    var output: String
    var error: String
  }

  static let isAvailable = (try? run("read_store.py", ["--help"])) != nil

  /// The records of a whole store, and what the reader noted beside them.
  static func readStore(_ store: URL) throws -> (records: [ReadRecord], notes: String) {
    let outcome = try run("read_store.py", [store.path(percentEncoded: false)])
    try #require(outcome.status == 0, "\(outcome.error)")
    let decoder = JSONDecoder()
    let records = try outcome.output.utf8.split(separator: UInt8(ascii: "\n")).map {
      try decoder.decode(ReadRecord.self, from: Data($0))
    }
    return (records, outcome.error)
  }

  /// Throws only when Python can not be started.
  static func run(_ script: String, _ arguments: [String]) throws -> Outcome {
    let scripts = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Reader")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      ["python3", "-B", scripts.appending(path: script).path(percentEncoded: false)] + arguments
    let output = Pipe()
    let errors = try FileManager.default.temporaryFile()
    defer { try? FileManager.default.removeItem(at: errors) }
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    let printed = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus != 127 else { throw CocoaError(.fileNoSuchFile) }
    return Outcome(
      status: process.terminationStatus, output: String(decoding: printed, as: UTF8.self),
      error: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
  }
}

extension FileManager {
  fileprivate func temporaryFile() throws -> URL {
    let file = temporaryDirectory.appending(path: "errors-\(UUID().uuidString)")
    try Data().write(to: file)
    return file
  }
}

private func withTemporaryDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
  let directory = FileManager.default.temporaryDirectory
    .appending(path: "reader-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
  defer { try? FileManager.default.removeItem(at: directory) }
  return try body(directory)
}
