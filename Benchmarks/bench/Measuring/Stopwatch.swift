/// Times work with the continuous clock.
enum Stopwatch {
  static func seconds(_ body: () throws -> Void) rethrows -> Double {
    seconds(try ContinuousClock().measure(body))
  }

  static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
  }

  /// The median time of several runs.
  static func medianSeconds(runs: Int, _ body: () throws -> Void) rethrows -> Double {
    var times: [Double] = []
    for _ in 0..<runs { times.append(try seconds(body)) }
    return Latencies(times).median
  }
}
