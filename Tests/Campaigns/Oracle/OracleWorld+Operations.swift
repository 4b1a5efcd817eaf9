internal import EmbeddingStores
internal import EmbeddingTestSupport
internal import Foundation

/// Random calls. None depends on what the ones before it did.
extension OracleWorld {
  func operations(using generator: inout SeededGenerator) -> [OracleOperation] {
    (0..<length).map { _ in operation(using: &generator) }
  }

  private func operation(using generator: inout SeededGenerator) -> OracleOperation {
    switch Int.random(in: 0..<1_000, using: &generator) {
    case 0..<270: return .put(records(1...4, using: &generator))
    case 270..<330: return .insert(records(1...2, using: &generator))
    case 330..<350: return refused(using: &generator)
    case 350..<450:
      return .update(
        (0..<Int.random(in: 1...2, using: &generator)).map { _ in update(using: &generator) })
    case 450..<520: return .remove(keys(1...3, using: &generator))
    case 520..<570: return .removePart(key(using: &generator), part(using: &generator))
    case 570..<575: return .removeAll
    case 575..<595:
      let kept = (0..<keyCount).filter { _ in Int.random(in: 0..<8, using: &generator) > 0 }
      return .reconcile(
        kept.map(key), share: [0, 0.2, 1].randomElement(using: &generator) ?? 0.2)
    case 595..<610: return .compact
    case 610..<625: return .reopen(isClosing: Bool.random(using: &generator))
    case 625..<650: return .refreshReader
    case 650..<655: return .reopenReader
    case 655..<670: return .takeSnapshot
    case 670..<680: return .checkSnapshot
    case 680..<860: return .search(query(using: &generator), on(using: &generator))
    case 860..<890:
      return .searchTogether(
        (0..<Int.random(in: 0...5, using: &generator)).map { _ in query(using: &generator) },
        on(using: &generator))
    case 890..<965: return .read(keys(1...4, using: &generator), on(using: &generator))
    case 965..<990: return .changes(commitsAgo: Int.random(in: 0..<20, using: &generator))
    case 990..<994: return .backUp
    default: return .compareAll
    }
  }

  private func on(using generator: inout SeededGenerator) -> OracleOperation.On {
    [.store, .store, .store, .reader, .snapshot].randomElement(using: &generator) ?? .store
  }

  private func keys(
    _ count: ClosedRange<Int>, using generator: inout SeededGenerator
  ) -> [String] {
    (0..<Int.random(in: count, using: &generator)).map { _ in key(using: &generator) }
  }

  private func part(using generator: inout SeededGenerator) -> UInt16 {
    [0, 0, 0, 1, 2, .max].randomElement(using: &generator) ?? 0
  }

  private func labels(using generator: inout SeededGenerator) -> Set<String> {
    Set(
      ["a", "b", Bool.random(using: &generator) ? "caf\u{e9}" : "cafe\u{301}", "night"]
        .filter { _ in Bool.random(using: &generator) })
  }

  private func date(using generator: inout SeededGenerator) -> Date {
    // Few of them, so that bounds of ranges are met.
    Date(timeIntervalSince1970: Double(Int.random(in: -20...20, using: &generator)) / 8)
  }

  private func records(
    _ count: ClosedRange<Int>, using generator: inout SeededGenerator
  ) -> [Record] {
    (0..<Int.random(in: count, using: &generator)).map { _ in
      Record(
        key: key(using: &generator), vector: vector(using: &generator),
        part: part(using: &generator),
        timestamp: Bool.random(using: &generator) ? date(using: &generator) : nil,
        labels: labels(using: &generator),
        metadata: Bool.random(using: &generator) ? metadata(using: &generator) : nil,
        text: Bool.random(using: &generator) ? text(using: &generator) : nil,
        revision: Revision(rawValue: .random(in: 0...3, using: &generator)))
    }
  }

  private func metadata(using generator: inout SeededGenerator) -> Data {
    Data(
      repeating: .random(in: 0...255, using: &generator),
      count: .random(in: 0..<40, using: &generator))
  }

  private func text(using generator: inout SeededGenerator) -> String {
    "text \(UInt8.random(in: 0...99, using: &generator))"
  }

  private func refused(using generator: inout SeededGenerator) -> OracleOperation {
    var records = records(2...4, using: &generator)
    let victim = Int.random(in: 0..<records.count, using: &generator)
    let code: StoreError.Code
    switch Int.random(in: 0..<6, using: &generator) {
    case 0:
      records[victim].key = ""
      code = .invalidKey
    case 1:
      records[victim].vector.append(1)
      code = .wrongDimension
    case 2:
      records[victim].vector[0] = [.nan, .infinity].randomElement(using: &generator) ?? .nan
      code = .notFinite
    case 3 where space.normalization == .unitLength:
      records[victim].vector = [Float](repeating: 0, count: space.dimension)
      code = .zeroVector
    case 3:
      records[victim].vector[0] = 70_000
      code = .outOfRange
    case 4:
      records[victim].labels.insert("")
      code = .limitExceeded
    default:
      records[victim].timestamp = Date(timeIntervalSince1970: .infinity)
      code = .invalidArgument
    }
    return .refused(records, code, isInsertion: Bool.random(using: &generator))
  }

  private func update(using generator: inout SeededGenerator) -> RecordUpdate {
    RecordUpdate(
      key: key(using: &generator), part: part(using: &generator),
      timestamp: field(date(using: &generator), using: &generator),
      labels: field(labels(using: &generator), using: &generator),
      metadata: field(metadata(using: &generator), using: &generator),
      text: field(text(using: &generator), using: &generator))
  }

  private func field<Value>(
    _ value: Value, using generator: inout SeededGenerator
  ) -> RecordUpdate.Field<Value> {
    [.unchanged, .set(value), .removed].randomElement(using: &generator) ?? .unchanged
  }

  private func query(using generator: inout SeededGenerator) -> OracleQuery {
    let vector = vector(using: &generator)
    let target: Query.Target =
      switch Int.random(in: 0..<8, using: &generator) {
      case 0, 1: .key(key(using: &generator), part: part(using: &generator))
      case 2: .embedding(Embedding(vector, in: space))
      default: .vector(vector)
      }
    var query = Query(
      target, count: [1, 3, 10, .max].randomElement(using: &generator) ?? 1,
      offset: [0, 0, 0, 2, 30].randomElement(using: &generator) ?? 0,
      grouping: Bool.random(using: &generator) ? .everyPart : .bestPartPerKey)
    if Int.random(in: 0..<6, using: &generator) == 0 {
      query.minimumScore = Float(Int.random(in: -4...4, using: &generator)) / 4
    }
    if Int.random(in: 0..<4, using: &generator) == 0 {
      let first = date(using: &generator)
      let second = date(using: &generator)
      query.filter.timestamps = min(first, second)..<max(first, second)
    }
    if Int.random(in: 0..<3, using: &generator) == 0 {
      query.filter.labels = (0..<Int.random(in: 1...2, using: &generator)).map { _ in
        let labels = labels(using: &generator)
        return switch Int.random(in: 0..<3, using: &generator) {
        case 0: .any(labels)
        case 1: .all(labels)
        default: .none(labels)
        }
      }
    }
    if Int.random(in: 0..<8, using: &generator) == 0 {
      query.filter.keys = keys(0...9, using: &generator)
    }
    let isConditional = Int.random(in: 0..<4, using: &generator) == 0
    return OracleQuery(
      query: query,
      condition: isConditional
        ? OracleQuery.Condition.allCases.randomElement(using: &generator) : nil)
  }
}
