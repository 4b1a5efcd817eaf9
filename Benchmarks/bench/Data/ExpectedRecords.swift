import EmbeddingStores
import Foundation

/// What each row's record should hold, changed along with the store and compared with it.
struct ExpectedRecords: Sendable {
  private let data: DataSet
  private(set) var timestamps: [Date?]
  private(set) var labels: [Set<String>]
  private(set) var isLive: [Bool]

  /// Metadata of the records, kept as JSON.
  struct Origin: Codable, Equatable {
    var set: String
    var row: Int
  }

  init(_ data: DataSet) {
    self.data = data
    timestamps = data.timestamps
    labels = (0..<data.rowCount).map { Self.labels(key: data.keys[$0], data.timestamps[$0]) }
    isLive = Array(repeating: true, count: data.rowCount)
  }

  var liveCount: Int { isLive.count { $0 } }

  /// The whole record of a row.
  func record(of row: Int) throws -> Record {
    try Record(
      key: data.keys[row], vector: data.vector(of: row), timestamp: timestamps[row],
      labels: labels[row], metadataValue: Origin(set: data.name, row: row), text: data.keys[row])
  }

  /// Gives a row another timestamp and one more label.
  mutating func update(_ row: Int, timestamp: Date?, adding label: String) {
    timestamps[row] = timestamp
    labels[row].insert(label)
  }

  mutating func remove(_ row: Int) {
    isLive[row] = false
  }

  /// The folder of a key that is a path, else its first letter; and the year of the timestamp.
  private static func labels(key: String, _ timestamp: Date?) -> Set<String> {
    var labels: Set<String> = []
    if let slash = key.lastIndex(of: "/") {
      labels.insert("folder " + key[..<slash])
    } else if let letter = key.first {
      labels.insert("letter " + letter.lowercased())
    }
    if let timestamp { labels.insert("year \(year(of: timestamp))") }
    return labels
  }

  private static func year(of timestamp: Date) -> Int {
    utcCalendar.component(.year, from: timestamp)
  }

  private static let utcCalendar: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()
}

/// A sample of the keys that is the same in every run.
enum KeySample {
  /// Whether a key is among a share of about `percent` of all keys.
  static func admits(_ key: String, percent: UInt64) -> Bool { hash(key) % 100 < percent }

  static func admits(_ key: String, perMille: UInt64) -> Bool { hash(key) % 1_000 < perMille }

  private static func hash(_ key: String) -> UInt64 {
    // FNV-1a, and a shift because its low bits alone are poor.
    let hash = key.utf8.reduce(0xCBF2_9CE4_8422_2325) { (hash: UInt64, byte) in
      (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    return hash ^ hash >> 32
  }
}
