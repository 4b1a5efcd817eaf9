/// How long each of several searches took.
struct Latencies {
  private(set) var seconds: [Double] = []

  /// Times `body` for each query, after warming up with the first ones.
  init<Query>(of queries: some Collection<Query>, _ body: (Query) throws -> Void) rethrows {
    for query in queries.prefix(50) { try body(query) }
    for query in queries {
      seconds.append(try Stopwatch.seconds { try body(query) })
    }
    seconds.sort()
  }

  init() {}

  mutating func add(_ other: Latencies) {
    seconds = (seconds + other.seconds).sorted()
  }

  var median: Double { percentile(50) }

  /// The nearest rank: a measured value, never one between two.
  func percentile(_ percent: Int) -> Double {
    if seconds.isEmpty { return .nan }
    return seconds[max(0, (seconds.count * percent + 99) / 100 - 1)]
  }
}

/// Times work with the continuous clock.
enum Stopwatch {
  static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let duration = try ContinuousClock().measure(body)
    return Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
  }

  /// The median time of several runs.
  static func medianSeconds(runs: Int, _ body: () throws -> Void) rethrows -> Double {
    var times: [Double] = []
    for _ in 0..<runs { times.append(try seconds(body)) }
    return times.sorted()[runs / 2]
  }
}
