/// How often processes were killed while they did what.
struct KillPhases: CustomStringConvertible {
  private var counts: [String: Int] = [:]

  mutating func note(_ phase: String) { counts[phase, default: 0] += 1 }

  var description: String {
    counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }
}
