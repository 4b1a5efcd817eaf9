import EmbeddingIndexing
import EmbeddingStores
import Synchronization

/// A source for tests: its items can be changed, and each can be made to misbehave.
final class TestSource: ItemSource {
  enum Behaviour {
    case unavailable, throwing, hanging, empty, cancelling
    /// Loads, but the encoder gives nothing good for it.
    case encodedAs(TestEncoder.Fault)
  }

  /// What takes for ever, unless it is cancelled.
  enum Slowness {
    case nothing, pages, contents, encoder
  }

  struct State {
    var items: [SourceItem]
    var slowness = Slowness.nothing
    var behaviours: [String: Behaviour] = [:]
    var pageSize = 7
    /// Throws instead of the page with this number.
    var failingPage: Int?
    var loadedKeys: [String] = []
    var loadsUnderWay = 0
    var mostLoadsUnderWay = 0
    /// Inputs of an item, where it has not one.
    var inputCounts: [String: Int] = [:]
  }

  let state: Mutex<State>

  init(_ items: [SourceItem]) {
    state = Mutex(State(items: items))
  }

  convenience init(count: Int, revision: String = "1") {
    self.init(TestSource.items(0..<count, revision: revision))
  }

  static func items(_ numbers: Range<Int>, revision: String = "1") -> [SourceItem] {
    numbers.map { SourceItem(key: "item \($0)", revision: Revision(revision)) }
  }

  func pages() -> AsyncThrowingStream<[SourceItem], any Error> {
    let next = Mutex(0)
    return AsyncThrowingStream {
      let number = next.withLock { number in
        defer { number += 1 }
        return number
      }
      if self.state.withLock({ $0.slowness == .pages }) {
        try await Task.sleep(for: .seconds(3_600))
      }
      return try self.state.withLock { state in
        if state.failingPage == number { throw TestFailure.source }
        let page = state.items.dropFirst(number * state.pageSize).prefix(state.pageSize)
        return page.isEmpty ? nil : Array(page)
      }
    }
  }

  func inputs(of item: SourceItem) async throws -> [TestInput] {
    let (behaviour, count) = state.withLock { state in
      state.loadedKeys.append(item.key)
      state.loadsUnderWay += 1
      state.mostLoadsUnderWay = max(state.mostLoadsUnderWay, state.loadsUnderWay)
      return (state.behaviours[item.key], state.inputCounts[item.key] ?? 1)
    }
    defer { state.withLock { $0.loadsUnderWay -= 1 } }
    await Task.yield()
    if state.withLock({ $0.slowness == .contents }) {
      try await Task.sleep(for: .seconds(3_600))
    }
    var fault: TestEncoder.Fault?
    switch behaviour {
    case nil: break
    case .unavailable: throw ItemUnavailable("in the cloud")
    case .throwing: throw TestFailure.item
    case .hanging: try await Task.sleep(for: .seconds(3_600))
    case .empty: return []
    case .cancelling: throw CancellationError()
    case .encodedAs(let wanted): fault = wanted
    }
    return (0..<count).map { TestInput(item: item, part: $0, fault: fault) }
  }
}

struct TestInput: Sendable {
  var item: SourceItem
  var part: Int
  var fault: TestEncoder.Fault?
}

enum TestFailure: Error {
  case source, item, encoder, loading
}

/// Gives each key, revision and part a vector of its own, and notes what it was asked.
final class TestEncoder: EmbeddingEncoder {
  enum Fault: Sendable {
    case throwing, zero, notANumber, wrongDimension, hanging
    /// One vector less, or more, than inputs.
    case tooFew, tooMany
  }

  struct Calls {
    /// Keys that were encoded, each as often as it was.
    var keys: [String] = []
    var batchSizes: [Int] = []
    var underWay = 0
    var mostUnderWay = 0
  }

  let space: EmbeddingSpace
  let delay: Duration
  let calls = Mutex(Calls())

  init(space: EmbeddingSpace = .test, delay: Duration = .zero) {
    self.space = space
    self.delay = delay
  }

  func encode(_ inputs: [TestInput]) async throws -> [[Float]] {
    calls.withLock { calls in
      calls.keys += inputs.map(\.item.key)
      calls.batchSizes.append(inputs.count)
      calls.underWay += 1
      calls.mostUnderWay = max(calls.mostUnderWay, calls.underWay)
    }
    defer { calls.withLock { $0.underWay -= 1 } }
    if delay > .zero { try await Task.sleep(for: delay) }
    var vectors: [[Float]] = []
    for input in inputs {
      switch input.fault {
      case nil: vectors.append(Self.vector(input, space))
      case .throwing: throw TestFailure.encoder
      case .zero: vectors.append([Float](repeating: 0, count: space.dimension))
      case .notANumber: vectors.append([Float](repeating: .nan, count: space.dimension))
      case .wrongDimension: vectors.append([1, 2, 3])
      case .hanging: try await Task.sleep(for: .seconds(3_600))
      case .tooFew: break
      case .tooMany: vectors += [Self.vector(input, space), Self.vector(input, space)]
      }
    }
    return vectors
  }

  /// Any two differ; a hash chooses the components.
  static func vector(_ input: TestInput, _ space: EmbeddingSpace) -> [Float] {
    vector(
      "\(input.item.key) \(input.item.revision?.rawValue ?? 0) \(input.part) \(space.model)",
      dimension: space.dimension)
  }

  static func vector(_ name: String, dimension: Int) -> [Float] {
    var state = Revision(name).rawValue
    return (0..<dimension).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Float(Int32(truncatingIfNeeded: state >> 32)) / Float(Int32.max)
    }
  }
}

extension EmbeddingSpace {
  static let test = EmbeddingSpace(model: "test", revision: "1", dimension: 8)
  static let next = EmbeddingSpace(model: "next", revision: "2", dimension: 12)
}

/// A store in memory with a source and an encoder, put together for one test.
struct TestBench {
  var store: EmbeddingStore
  var source: TestSource
  var encoder = TestEncoder()
  var options = IndexingOptions()
  var throttle: any IndexingThrottle = NoThrottle()

  init(_ source: TestSource, store: EmbeddingStore? = nil) throws {
    self.source = source
    self.store = try store ?? EmbeddingStore(inMemory: .test)
  }

  func indexer() throws -> Indexer<TestSource, TestEncoder> {
    try Indexer(
      store: store, source: source, encoder: encoder, options: options, throttle: throttle)
  }

  /// Whether the store holds exactly what an item's content makes.
  func holds(_ item: SourceItem, parts: Int = 1) throws -> Bool {
    let records = try store.records(for: item.key)
    guard records.count == parts else { return false }
    return try records.enumerated().allSatisfy { index, record in
      let vector = TestEncoder.vector(TestInput(item: item, part: index), store.space)
      let expected = try EmbeddingStore(inMemory: store.space)
      try expected.put(Record(key: "k", vector: vector))
      return try record.vector == expected.vector(for: "k") && record.revision == item.revision
    }
  }
}
