/// One measured number, and how it compares with a yardstick of the same run.
struct Figure: Encodable {
  enum Unit: String, Encodable {
    case rowsPerSecond = "rows/s"
    case itemsPerSecond = "items/s"
    case queriesPerSecond = "queries/s"
    case gigabytesPerSecond = "GB/s"
    case megabytesPerSecond = "MB/s"
    case seconds = "s"
    case milliseconds = "ms"
    case microseconds = "us"
    case megabytes = "MB"
    case times = "x"
    case bytes = "bytes"
    case percent = "%"
    case rows = "rows"
    case clusters = "clusters"
    case iterations = "iterations"
    /// Sum over rows of what a score falls short of a length.
    case shortfall = "short"
    case score = "score"
    case pairs = "pairs"
    case groups = "groups"
  }

  /// For programs.
  var name: String
  /// For people.
  var label: String
  var value: Double
  var unit: Unit
  var ratio: Double?
  /// What the value is divided by in `ratio`.
  var ratioTo: String?

  init(
    _ name: String, _ label: String, _ value: Double, _ unit: Unit, ratio: Double? = nil,
    to yardstick: String? = nil
  ) {
    self.name = name
    self.label = label
    self.value = value
    self.unit = unit
    self.ratio = ratio
    ratioTo = yardstick
  }

  var cells: [String] {
    let comparison = ratio.map { "\(Decimals.text($0)) x \(ratioTo ?? "")" }
    return [label, Decimals.text(value), unit.rawValue, comparison ?? ""]
  }
}
