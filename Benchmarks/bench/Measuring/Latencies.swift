/// How long each of several searches took.
struct Latencies {
  private var sorted: [Double] = []

  /// Times `body` for each query, after warming up with the first ones.
  init<Query>(of queries: some Collection<Query>, _ body: (Query) throws -> Void) rethrows {
    self = try Self.inTurns(queries) { (_, query) in try body(query) }[0]
  }

  /// Times `alternatives` ways of searching in turns, so that whatever else the machine does
  /// meets all of them; `body` is told which one is up.
  static func inTurns<Query>(
    _ queries: some Collection<Query>, alternatives: Int = 1,
    _ body: (Int, Query) throws -> Void
  ) rethrows -> [Latencies] {
    var seconds = [[Double]](repeating: [], count: alternatives)
    for query in queries.prefix(20) {
      for index in 0..<alternatives { try body(index, query) }
    }
    for query in queries {
      for index in 0..<alternatives {
        seconds[index].append(try Stopwatch.seconds { try body(index, query) })
      }
    }
    return seconds.map(Latencies.init)
  }

  init(_ seconds: [Double]) {
    sorted = seconds.sorted()
  }

  /// Both series as one.
  func adding(_ other: Latencies) -> Latencies {
    Latencies(sorted + other.sorted)
  }

  var median: Double { percentile(50) }

  var fastest: Double { sorted.first ?? .nan }

  /// The nearest rank: a measured value, never one between two.
  func percentile(_ percent: Int) -> Double {
    if sorted.isEmpty { return .nan }
    return sorted[max(0, (sorted.count * percent + 99) / 100 - 1)]
  }
}
