internal import EmbeddingStores
internal import EmbeddingTestSupport
internal import Foundation

/// Two stores of the same records, one with compact codes and one without.
struct CodesWorld {
  private let space: EmbeddingSpace
  private let data: CodesData
  private let coded: EmbeddingStore
  private let scanned: EmbeddingStore
  private var nextKey: Int
  private let meter = SearchMeter()

  init(_ number: Int, _ generator: inout SeededGenerator) throws {
    // 100 and 520 are no multiples of what codes are made of; of 520 only 512 are rotated.
    let dimensions = [64, 100, 128, 160, 256, 384, 520]
    let dimension = dimensions[number % dimensions.count]
    data = CodesData.allCases[number % CodesData.allCases.count]
    space = EmbeddingSpace(
      model: "codes", dimension: dimension,
      normalization: data.isNormalized ? .unitLength : .none)
    var configuration = StoreConfiguration()
    configuration.compaction = .manual
    // So that each of them has something to do with so few rows.
    configuration.searchThreadCount = 1 + number % 3
    configuration.byteCountPerSearchThread = 1 << 12
    coded = try EmbeddingStore(inMemory: space, configuration: configuration)
    configuration.writesCompactCodes = false
    scanned = try EmbeddingStore(inMemory: space, configuration: configuration)
    // A chunk or two; in some worlds several for each thread.
    let most = number % 8 == 7 ? 30_000 : 2_500
    let rowCount = 4_096 + Int.random(in: 0...most, using: &generator)
    let records = data.vectors(rowCount, dimension: dimension, &generator).enumerated().map {
      Self.record($0, vector: $1)
    }
    nextKey = rowCount
    for store in [coded, scanned] {
      try store.put(records)
      try store.compact()
    }
    guard try coded.statistics().compactCodes == .present else {
      throw CodesProblem(description: "dimension \(dimension) has no codes")
    }
  }

  var rowCount: Int { (try? coded.count()) ?? 0 }
  var work: SearchWork { meter.work }

  private static func record(_ number: Int, vector: [Float]) -> Record {
    Record(
      // Some keys have several parts.
      key: "\(number % 7 == 0 ? number / 21 * 21 : number)", vector: vector,
      part: UInt16(number % 7 == 0 ? number % 21 : 0),
      timestamp: Date(timeIntervalSince1970: Double(number)),
      labels: number % 3 == 0 ? ["third"] : [])
  }

  /// Removes, replaces and adds some records, and sometimes compacts.
  mutating func change(_ generator: inout SeededGenerator) throws {
    let removed = (0..<50).map { _ in "\(Int.random(in: 0..<nextKey, using: &generator))" }
    let first = nextKey
    nextKey += 40
    let added = data.vectors(40, dimension: space.dimension, &generator)
    let records = added.enumerated().map { Self.record(first + $0, vector: $1) }
    let compacts = Int.random(in: 0..<4, using: &generator) == 0
    for store in [coded, scanned] {
      try store.remove(removed)
      try store.put(records)
      if compacts { try store.compact() }
    }
  }

  /// One search, or a few at once, in both stores; a problem when they differ.
  func compare(_ generator: inout SeededGenerator) throws -> String? {
    let count = Int.random(in: 0..<8, using: &generator) == 0 ? 3 : 1
    let queries = (0..<count).map { _ in query(&generator) }
    let found = try coded.search(queries, meter: meter)
    let expected = try scanned.search(queries)
    for (query, (found, expected)) in zip(queries, zip(found, expected)) {
      guard found.count == expected.count else {
        return "\(data), \(query): \(found.count) matches instead of \(expected.count)"
      }
      for (position, (first, second)) in zip(found, expected).enumerated()
      where first != second || first.score.bitPattern != second.score.bitPattern {
        return "\(data), \(query): match \(position) is \(first) instead of \(second)"
      }
    }
    return nil
  }

  private func query(_ generator: inout SeededGenerator) -> Query {
    let vector = data.vectors(1, dimension: space.dimension, &generator)[0]
    let counts = [1, 2, 5, 10, 10, 30, 100, 190]
    var query = Query(
      .vector(vector), count: counts[Int.random(in: 0..<counts.count, using: &generator)],
      offset: Int.random(in: 0..<6, using: &generator) == 0 ? 3 : 0)
    if Bool.random(using: &generator) { query.grouping = .everyPart }
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: query.filter.labels = [.any(["third"])]
    case 1:
      let start = Double.random(in: 0..<Double(nextKey), using: &generator)
      let length = [4.0, 100, 3_000][Int.random(in: 0..<3, using: &generator)]
      query.filter.timestamps =
        Date(timeIntervalSince1970: start)..<Date(timeIntervalSince1970: start + length)
    case 2: query.filter.keys = (0..<20).map { "\($0 * 21)" }
    case 3, 4:
      let modulus = [2, 10, 100, 1_000][Int.random(in: 0..<4, using: &generator)]
      query.predicate = { row in row.key.utf8.reduce(7) { $0 &* 31 &+ Int($1) } % modulus == 0 }
    case 5: query.minimumScore = Float.random(in: -1...1, using: &generator)
    case 6:
      query.target = .key("\(Int.random(in: 0..<nextKey, using: &generator))")
      // A key may be gone, or have other parts only.
      if (try? scanned.search(query)) == nil { query.target = .vector(vector) }
    default: break
    }
    return query
  }
}

struct CodesProblem: Error, CustomStringConvertible {
  var description: String
}
