import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Synchronization
import Testing

/// Filters and closures: what passes is ranked as if nothing else were stored.
@Suite struct FilteredSearchTests {
  static let labels = ["beach", "caf\u{e9}", "cafe\u{301}", "night", "two words", "🏖️"]

  /// Records with random labels and timestamps, some in the main file, some in the journal, some
  /// dead.
  static func makeStore(_ generator: inout SeededGenerator) throws -> (EmbeddingStore, StoreModel) {
    let store = try EmbeddingStore(inMemory: .exact, configuration: .manual)
    var model = StoreModel()
    for number in 0..<300 {
      let record = Record(
        key: "k\(number % 150)", vector: RandomVectors.integers(dimension: 8, using: &generator),
        part: UInt16(number / 150 % 2),
        timestamp: number % 5 == 0
          ? nil : Date(timeIntervalSince1970: Double(Int.random(in: -50...50, using: &generator))),
        labels: Set(labels.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }),
        metadata: Data([UInt8(number % 256)]), text: number % 2 == 0 ? "even" : "odd")
      model.put(record)
      try store.put(record)
      if number == 120 || number == 220 {
        for key in ["k\(number)", "k7", "k\(number - 120)"] {
          model.remove(key)
          try store.remove([key])
        }
        try store.compact()
      }
    }
    return (store, model)
  }

  static func passes(_ record: Record, _ filter: Filter) -> Bool {
    if let range = filter.timestamps {
      guard let timestamp = record.timestamp, range.contains(timestamp) else { return false }
    }
    if let keys = filter.keys {
      let bytes = Array(record.key.utf8)
      guard keys.contains(where: { Array($0.utf8) == bytes }) else { return false }
    }
    return filter.labels.allSatisfy { condition in
      switch condition {
      case .any(let labels): !record.labels.isDisjoint(with: labels)
      case .all(let labels): labels.isSubset(of: record.labels)
      case .none(let labels): record.labels.isDisjoint(with: labels)
      }
    }
  }

  static func randomFilter(_ generator: inout SeededGenerator) -> Filter {
    func labels(_ generator: inout SeededGenerator) -> Set<String> {
      Set((Self.labels + ["unknown"]).filter { _ in Bool.random(using: &generator) })
    }
    var filter = Filter()
    if Bool.random(using: &generator) {
      let bounds = [0, 1].map { _ in Int.random(in: -60...60, using: &generator) }.sorted()
      filter.timestamps =
        Date(
          timeIntervalSince1970: Double(bounds[0]))..<Date(timeIntervalSince1970: Double(bounds[1]))
    }
    for _ in 0..<Int.random(in: 0...2, using: &generator) {
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: filter.labels.append(.any(labels(&generator)))
      case 1: filter.labels.append(.all(labels(&generator)))
      default: filter.labels.append(.none(labels(&generator)))
      }
    }
    if Int.random(in: 0..<3, using: &generator) == 0 {
      filter.keys = (0..<40).map { _ in "k\(Int.random(in: 0..<200, using: &generator))" }
    }
    return filter
  }

  @Test func randomFiltersFindWhatBruteForceFinds() throws {
    var generator = SeededGenerator("randomFiltersFindWhatBruteForceFinds", seed: 6_001)
    let (store, model) = try Self.makeStore(&generator)
    for _ in 0..<200 {
      let filter = Self.randomFilter(&generator)
      let query = RandomVectors.integers(dimension: 8, using: &generator)
      let expected = model.ranking(for: query) { Self.passes($0, filter) }
      let count = [1, 5, 50, 1_000].randomElement(using: &generator) ?? 1
      let all = try store.search(
        Query(.vector(query), count: count, filter: filter, grouping: .everyPart))
      #expect(
        all.map { StoreModel.Identity($0.key, $0.part) } == expected.prefix(count).map(\.identity))
      let best = try store.search(for: query, count: count, filter: filter)
      #expect(
        best.map { StoreModel.Identity($0.key, $0.part) }
          == StoreModel.bestPerKey(expected).prefix(count).map(\.identity))
    }
  }

  @Test(arguments: [false, true])
  func labelsThatSwiftCallsEqualAreTheSameLabel(isCompacted: Bool) throws {
    let store = try EmbeddingStore(inMemory: .small)
    let composed = "caf\u{e9}"
    let decomposed = "cafe\u{301}"
    try store.put(Record(key: "1", vector: axisVector(0), labels: [composed]))
    try store.put(Record(key: "2", vector: axisVector(0), labels: [decomposed, "b"]))
    try store.put(Record(key: "3", vector: axisVector(0), labels: ["b"]))
    if isCompacted { try store.compact() }
    func keys(_ conditions: Filter.LabelCondition...) throws -> [String] {
      try store.search(for: axisVector(0), filter: Filter(labels: conditions)).map(\.key)
    }
    for label in [composed, decomposed] {
      #expect(try keys(.any([label])) == ["1", "2"])
      #expect(try keys(.all([label, "b"])) == ["2"])
      #expect(try keys(.none([label])) == ["3"])
    }
    #expect(try keys(.any([])) == [])
    #expect(try keys(.all([])) == ["1", "2", "3"])
    #expect(try keys(.none([])) == ["1", "2", "3"])
    #expect(try keys(.any(["b"]), .none(["unknown"])) == ["2", "3"])
    #expect(try keys(.any(["unknown"])) == [])
  }

  // Found by these tests: bounds were rounded up, and what a Date loses made old photos fall out of
  // a range that began at their own timestamp.
  @Test(arguments: [
    0.0, 1, -1, 122_102_903.878, 1e9, -5e8, 1.7e9 + 0.001, 0.5, -0.001, 978_307_200.123,
  ])
  func aRangeThatBeginsAtATimestampHasItAndOneThatEndsThereHasNot(seconds: Double) throws {
    let store = try EmbeddingStore(inMemory: .small)
    let date = Date(timeIntervalSince1970: seconds)
    try store.put(Record(key: "a", vector: axisVector(0), timestamp: date))
    try store.put(Record(key: "none", vector: axisVector(0)))
    for isCompacted in [false, true] {
      if isCompacted { try store.compact() }
      let stored = try #require(try store.record(for: "a")?.timestamp)
      #expect(abs(stored.timeIntervalSince1970 - seconds) <= 0.0005)
      func count(_ range: Range<Date>) throws -> Int {
        try store.search(for: axisVector(0), filter: Filter(timestamps: range)).count
      }
      for date in [date, stored] {
        #expect(try count(date..<date + 1) == 1)
        #expect(try count(date - 1..<date) == 0)
      }
      #expect(try count(.distantPast..<date + 1) == 1)
      #expect(try count(date - 1 ..< .distantFuture) == 1)
      #expect(try count(date..<date) == 0)
      #expect(try count(.distantPast..<date - 1) == 0)
    }
  }

  @Test func timestampsAreKeptToTheMillisecondHoweverFarAway() throws {
    let store = try EmbeddingStore(inMemory: .small)
    let dates: [Date] = [
      .distantPast, .distantFuture, Date(timeIntervalSince1970: 9e15),
      Date(timeIntervalSince1970: -9e15), Date(timeIntervalSince1970: 0.0004),
    ]
    for (number, date) in dates.enumerated() {
      try store.put(Record(key: "\(number)", vector: axisVector(0), timestamp: date))
    }
    try store.compact()
    for (number, date) in dates.enumerated() {
      let stored = try #require(try store.record(for: "\(number)")?.timestamp)
      #expect(abs(stored.timeIntervalSince(date)) <= 1)
    }
    let range = Date(timeIntervalSince1970: -9.1e15)..<Date(timeIntervalSince1970: 9.1e15)
    #expect(
      try store.search(for: axisVector(0), filter: Filter(timestamps: range)).count == dates.count)
  }

  @Test func aClosureIsAskedOnceAboutEachRowThatWouldEnter() throws {
    var generator = SeededGenerator("aClosureIsAskedOnceAboutEachRowThatWouldEnter", seed: 6_002)
    let (store, model) = try Self.makeStore(&generator)
    for round in 0..<60 {
      let filter = Self.randomFilter(&generator)
      let query = RandomVectors.integers(dimension: 8, using: &generator)
      let count = [1, 3, 20, 1_000][round % 4]
      let grouping = round % 2 == 0 ? Query.Grouping.everyPart : .bestPartPerKey
      let asked = Mutex<[StoreModel.Identity]>([])
      let search = Query(
        .vector(query), count: count, filter: filter, grouping: grouping,
        where: { row in
          asked.withLock { $0.append(StoreModel.Identity(row.key, row.part)) }
          return row.text == "even"
        })
      let matches = try store.search(search)
      let ranking = model.ranking(for: query) { Self.passes($0, filter) && $0.text == "even" }
      let expected = round % 2 == 0 ? ranking : StoreModel.bestPerKey(ranking)
      #expect(
        matches.map { StoreModel.Identity($0.key, $0.part) }
          == expected.prefix(count).map(\.identity))
      let rows = asked.withLock { $0 }
      #expect(Set(rows).count == rows.count)
      #expect(rows.allSatisfy { model.records[$0].map { Self.passes($0, filter) } ?? false })
      // Whoever is in the result was asked about.
      #expect(Set(matches.map { StoreModel.Identity($0.key, $0.part) }).isSubset(of: Set(rows)))
    }
  }

  @Test func aClosureIsNotAskedAboutRowsThatCanNotEnter() throws {
    let store = try EmbeddingStore(inMemory: .small)
    // Descending scores: after the first row none can enter a result of one.
    for number in 0..<50 {
      var vector = [Float](repeating: 0, count: 8)
      vector[0] = 1
      vector[1] = Float(number)
      try store.put(Record(key: "\(number)", vector: vector))
    }
    let asked = Mutex(0)
    let query = Query(
      .vector([1, 0, 0, 0, 0, 0, 0, 0]), count: 1,
      where: { _ in
        asked.withLock { $0 += 1 }
        return true
      })
    #expect(try store.search(query).map(\.key) == ["0"])
    #expect(asked.withLock { $0 } == 1)
    var high = query
    high.minimumScore = 2
    #expect(try store.search(high) == [])
    #expect(asked.withLock { $0 } == 1)
  }

  @Test func aClosureIsNotAskedAboutTiesThatLoseOrWorseParts() throws {
    let store = try EmbeddingStore(inMemory: .small)
    for number in 0..<50 {
      try store.put(Record(key: "\(100 + number)", vector: axisVector(0)))
      var worse = axisVector(1)
      worse[0] = 1 - Float(number) / 100
      try store.put(Record(key: "100", vector: worse, part: UInt16(number + 1)))
    }
    let asked = Mutex<[String]>([])
    let query = Query(
      .vector(axisVector(0)), count: 3,
      where: { row in
        asked.withLock { $0.append("\(row.key)/\(row.part)") }
        return true
      })
    #expect(try store.search(query).map(\.key) == ["100", "101", "102"])
    #expect(asked.withLock { $0 } == ["100/0", "101/0", "102/0"])
  }

  @Test(arguments: [false, true])
  func aClosureSeesTheWholeRecord(isCompacted: Bool) throws {
    let store = try EmbeddingStore(inMemory: .small)
    let record = Record(
      key: "k", vector: axisVector(0), part: 3, timestamp: Date(timeIntervalSince1970: 1e9),
      labels: ["a", "b"], metadata: Data([1, 2, 3]), text: "text")
    try store.put([record, Record(key: "bare", vector: axisVector(0))])
    if isCompacted { try store.compact() }
    let matches = try store.search(for: axisVector(0)) { row in
      row.key == record.key && row.part == record.part && row.timestamp == record.timestamp
        && row.labels == record.labels && row.metadata == record.metadata && row.text == record.text
    }
    #expect(matches.map(\.key) == ["k"])
    let bare = try store.search(for: axisVector(0)) { row in
      row.timestamp == nil && row.labels.isEmpty && row.metadata == nil && row.text == nil
    }
    #expect(bare.map(\.key) == ["bare"])
  }

  @Test func aClosureMayUseAndChangeTheStore() throws {
    let store = try EmbeddingStore(inMemory: .small)
    try store.put(numberedRecords(0..<10))
    let matches = try store.search(for: axisVector(0), count: 100) { row in
      let inner = try? store.search(like: row.key, count: 1)
      _ = try? store.put(Record(key: "new-\(row.key)", vector: axisVector(0)))
      _ = try? store.remove([row.key])
      return inner?.count == 1
    }
    #expect(matches.count == 10)
    #expect(try store.count() == 10)
    #expect(try store.keys().allSatisfy { $0.hasPrefix("new-") })
  }
}
