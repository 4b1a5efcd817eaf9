/// All figures of a run, for the table and for `--json`.
struct Report: Encodable {
  let machine = Machine()
  let data: String
  let rows: Int
  let dimension: Int
  /// Nil where nothing is searched for.
  var queries: Int?
  /// Nil where nothing is searched for; 0 means one per core.
  var threads: Int?
  let isDebugBuild = BuildKind.isDebug
  var figures: [Figure] = []
  var failedChecks: [String] = []

  init(data: String, rows: Int, dimension: Int) {
    self.data = data
    self.rows = rows
    self.dimension = dimension
  }

  var summary: String {
    var line = "\(data): \(rows) x \(dimension)"
    if let queries { line += ", \(queries) queries" }
    if let threads {
      line += threads == 0 ? ", one thread per core" : ", \(threads) thread(s)"
      line += " per search"
    }
    return line + "\n" + machine.summary
  }

  func printTable() {
    Console.line("\n" + summary + "\n")
    Console.line(
      Table.text(
        head: ["figure", "value", "unit", "compared"], figures.map(\.cells), right: [1]))
    if isDebugBuild { Console.line("A debug build: these figures mean nothing.") }
  }
}
