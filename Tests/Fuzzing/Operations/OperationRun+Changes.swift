import EmbeddingStores
import EmbeddingTestSupport
import Foundation

extension OperationRun {
  private static let keys = [
    "a", "b", "c", "caf\u{e9}", "cafe\u{301}", "\u{0}", "key", "k\u{ffff}",
  ]

  private static func key(_ source: inout ByteSource) -> String {
    keys[source.below(keys.count)]
  }

  private static func part(_ source: inout ByteSource) -> UInt16 {
    [0, 0, 1, .max][source.below(4)]
  }

  private static func labels(_ bits: UInt8) -> Set<String> {
    Set(["a", "b", "caf\u{e9}"].enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element))
  }

  /// Small whole numbers, whose products and sums are exact.
  static func vector(_ source: inout ByteSource) -> [Float] {
    let first = source.byte()
    let second = source.byte()
    return [1 + Float(first & 15), Float(first >> 4), Float(second & 15), -Float(second >> 4)]
  }

  private static func date(_ byte: UInt8) -> Date {
    Date(timeIntervalSince1970: (Double(byte) - 100) * 1e7)
  }

  mutating func put(_ source: inout ByteSource) throws {
    let records = (0...source.below(3)).map { _ in
      let fields = source.byte()
      return Record(
        key: Self.key(&source), vector: Self.vector(&source), part: Self.part(&source),
        timestamp: fields & 1 == 0 ? nil : Self.date(fields), labels: Self.labels(fields >> 2),
        metadata: fields & 2 == 0 ? nil : Data(repeating: fields, count: Int(fields)),
        text: fields & 32 == 0 ? nil : String(repeating: "x", count: Int(fields >> 6)),
        revision: Revision(rawValue: UInt64(fields & 7)))
    }
    var next = model
    records.forEach { next.put($0) }
    try attempt(next) { try $0.put(records) }
  }

  mutating func update(_ source: inout ByteSource) throws {
    let fields = source.byte()
    func field<Value>(_ shift: Int, _ value: Value) -> RecordUpdate.Field<Value> {
      [.unchanged, .set(value), .removed, .set(value)][Int(fields >> shift & 3)]
    }
    let update = RecordUpdate(
      key: Self.key(&source), part: Self.part(&source), timestamp: field(0, Self.date(fields)),
      labels: field(2, Self.labels(fields >> 5)), metadata: field(4, Data([fields])),
      text: field(6, "new"))
    var next = model
    guard next.update(update) else {
      do {
        try store().update([update])
      } catch let error as StoreError {
        return try expect(error, .notFound)
      }
      throw FuzzFinding("A record was updated that is not there.")
    }
    try attempt(next) { try $0.update([update]) }
  }

  /// The error of a call that had to fail, unless the disk failed first.
  private func expect(_ error: StoreError, _ code: StoreError.Code) throws {
    try FuzzFinding.require(
      error.code == code || mayFail, "A call failed with \(error) instead of \(code.rawValue).")
  }

  mutating func remove(_ source: inout ByteSource) throws {
    let keys = (0...source.below(2)).map { _ in Self.key(&source) }
    var next = model
    keys.forEach { next.remove($0) }
    try attempt(next) { try $0.remove(keys) }
  }

  mutating func removePart(_ source: inout ByteSource) throws {
    let (key, part) = (Self.key(&source), Self.part(&source))
    var next = model
    next.remove(key, part: part)
    try attempt(next) { try $0.remove(key, part: part) }
  }

  mutating func removeAll() throws {
    try attempt(StoreModel()) { try $0.removeAll() }
  }

  func search(_ source: inout ByteSource) throws {
    let query = Self.vector(&source)
    let count = 1 + source.below(8)
    let wanted = source.below(2) == 0 ? nil : "caf\u{e9}"
    let filter = Filter(labels: wanted.map { [.any([$0])] } ?? [])
    let ranking = model.ranking(for: query) { record in
      wanted.map { record.labels.contains($0) } ?? true
    }
    for grouping in [Query.Grouping.everyPart, .bestPartPerKey] {
      let matches = try store().search(
        Query(.vector(query), count: count, filter: filter, grouping: grouping))
      let expected = grouping == .everyPart ? ranking : StoreModel.bestPerKey(ranking)
      try FuzzFinding.require(
        matches.map { StoreModel.Identity($0.key, $0.part) }
          == expected.prefix(count).map(\.identity)
          && matches.map { Double($0.score) } == expected.prefix(count).map(\.score),
        "A search found \(matches) instead of \(expected.prefix(count)).")
    }
  }
}
