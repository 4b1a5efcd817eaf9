import EmbeddingFiles
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// The same rows give the same matches bit for bit, whatever the way there.
@Suite struct SearchEquivalenceTests {
  static func queries(
    _ dimension: Int, _ generator: inout SeededGenerator
  ) -> [Query] {
    (0..<12).map { number in
      var query = Query(
        .vector(RandomVectors.vector(dimension: dimension, using: &generator)),
        count: [1, 5, 40, 10_000][number % 4], offset: number % 3,
        minimumScore: number % 5 == 4 ? 0 : nil,
        grouping: number % 2 == 0 ? .everyPart : .bestPartPerKey)
      if number % 6 == 1 { query.filter.labels = [.any(["even"])] }
      if number % 6 == 3 { query.filter.keys = (0..<9).map { "\($0)" } }
      if number % 6 == 2 { query.predicate = { $0.part == 1 || $0.labels.isEmpty } }
      if number % 6 == 5 { query.target = .key("1", part: 1) }
      return query
    }
  }

  static func records(
    _ count: Int, dimension: Int, _ generator: inout SeededGenerator
  ) -> [Record] {
    let vectors =
      RandomVectors.uniform(count / 2, dimension: dimension, using: &generator)
      + RandomVectors.duplicated(
        count - count / 2, distinctCount: 5, dimension: dimension, using: &generator)
    return vectors.enumerated().map { number, vector in
      Record(
        key: "\(number / 2)", vector: vector, part: UInt16(number % 2),
        labels: number % 4 == 0 ? ["even"] : [])
    }
  }

  @Test(arguments: [EmbeddingSpace.Normalization.unitLength, .none], [0, 200, 1_100])
  func manyQueriesAtOnceEqualThemOneByOne(
    normalization: EmbeddingSpace.Normalization, mainRowCount: Int
  ) throws {
    var generator = SeededGenerator("manyQueriesAtOnceEqualThemOneByOne", seed: 7_001)
    for dimension in [8, 65] {
      let space = EmbeddingSpace(
        model: "test", dimension: dimension, normalization: normalization)
      let store = try EmbeddingStore(inMemory: space, configuration: .manual)
      let records = Self.records(1_100, dimension: dimension, &generator)
      try store.put(Array(records[..<mainRowCount]))
      try store.compact()
      try store.put(Array(records[mainRowCount...]))
      try store.remove((0..<100).map { "\($0 * 7)" })
      let queries = Self.queries(dimension, &generator)
      let alone = try queries.map { try store.search($0) }
      #expect(try store.search(queries) == alone)
      let one = Query(.vector(RandomVectors.vector(dimension: dimension, using: &generator)))
      for count in 1...5 {
        let together = try store.search([Query](repeating: one, count: count))
        #expect(together == [[Match]](repeating: try store.search(one), count: count))
      }
      guard dimension == 8, mainRowCount == 200 else { continue }
      // More than are taken in one product.
      let repeated = (0..<300).map { queries[$0 % queries.count] }
      #expect(try store.search(repeated) == (0..<300).map { alone[$0 % alone.count] })
    }
  }

  // Enough rows for several threads to be used.
  @Test func anyNumberOfThreadsFindsTheSame() throws {
    var generator = SeededGenerator("anyNumberOfThreadsFindsTheSame", seed: 7_002)
    let space = EmbeddingSpace(model: "test", dimension: 768)
    let directory = try TemporaryDirectory()
    do {
      let store = try EmbeddingStore(at: directory.store(), space: space, configuration: .manual)
      let records = Self.records(8_000, dimension: 768, &generator)
      try store.put(Array(records[..<5_000]))
      try store.compact()
      try store.put(Array(records[5_000...]))
    }
    let queries = Self.queries(768, &generator)
    var expected: [[Match]]?
    for threadCount in [1, 2, 5] {
      var configuration = StoreConfiguration()
      configuration.searchThreadCount = threadCount
      // Five threads, few as the rows are.
      configuration.byteCountPerSearchThread = 1 << 12
      let store = try EmbeddingStore(
        readingAt: directory.store(), configuration: configuration)
      let found = try queries.map { try store.search($0) }
      expected = expected ?? found
      #expect(found == expected)
      #expect(try store.search(queries) == expected)
      let filtered = try store.search(for: axis(768), count: 50) { $0.part == 1 }
      #expect(filtered.count == 50 && filtered.allSatisfy { $0.part == 1 })
    }
  }

  private func axis(_ dimension: Int) -> [Float] {
    [1] + [Float](repeating: 0, count: dimension - 1)
  }

  // The environment variable is read once per process, so each level runs in a process of its own.
  // Levels that the processor does not have fall back to the best one, which the worker says.
  @Test func everyKernelLevelFindsTheSame() throws {
    var generator = SeededGenerator("everyKernelLevelFindsTheSame", seed: 7_003)
    for (number, dimension) in [8, 100].enumerated() {
      let space = EmbeddingSpace(
        model: "test", dimension: dimension, normalization: number == 0 ? .unitLength : .none)
      let directory = try TemporaryDirectory()
      do {
        let store = try EmbeddingStore(at: directory.store(), space: space)
        try store.put(Self.records(400, dimension: dimension, &generator))
        try store.compact()
        try store.put(Self.records(100, dimension: dimension, &generator))
      }
      var outputs: [[String]] = []
      for level in ["scalar", "avx2", "avx512", "neon", "nonsense"] {
        let worker = try Worker(
          ["rank", directory.store().path], environment: ["EMBEDDING_KERNEL_LEVEL": level])
        let said = worker.readLine()
        if level == "scalar" { #expect(said == "level scalar") }
        print("EMBEDDING_KERNEL_LEVEL=\(level): \(said ?? "nothing")")
        var lines: [String] = []
        while let line = worker.readLine() { lines.append(line) }
        outputs.append(lines)
      }
      #expect(outputs[0].count == 4 * 400)
      #expect(outputs.allSatisfy { $0 == outputs[0] })
    }
  }

  @Test(arguments: [EmbeddingSpace.Normalization.unitLength, .none])
  func reopeningAndCompactingChangeNoBit(normalization: EmbeddingSpace.Normalization) throws {
    var generator = SeededGenerator("reopeningAndCompactingChangeNoBit", seed: 7_004)
    let space = EmbeddingSpace(model: "test", dimension: 24, normalization: normalization)
    let memory = MemoryFileSystem()
    func open() throws -> EmbeddingStore { try .open(on: memory, space: space) }
    let records = Self.records(300, dimension: 24, &generator)
    var store: EmbeddingStore? = try open()
    try store?.put(records)
    try store?.remove(["3", "5", "7"])
    try store?.remove("9", part: 1)
    try store?.put(Array(records[40..<50]))
    let queries = Self.queries(24, &generator)
    let expected = try #require(try store?.search(queries))
    // In the journal alone; compacted; mixed with dead rows; copied to the heap.
    store = nil
    store = try open()
    #expect(try store?.search(queries) == expected)
    try store?.compact()
    #expect(try store?.search(queries) == expected)
    try store?.put(Array(records[100..<150]))
    #expect(try store?.search(queries) == expected)
    store = nil
    store = try open()
    #expect(try store?.statistics().deadRowCount == 50)
    #expect(try store?.search(queries) == expected)
    try store?.close()
    var configuration = StoreConfiguration.manual
    configuration.mainFileAccess = .heap
    store = try .open(on: memory, space: space, configuration: configuration)
    #expect(try store?.search(queries) == expected)
    try store?.compact()
    #expect(try store?.search(queries) == expected)
  }
}
