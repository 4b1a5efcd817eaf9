/// The figures of indexing synthetic items, for the table and for `--json`.
struct SyntheticIndexReport: Encodable {
  let machine = Machine()
  let rows: Int
  let dimension: Int
  let isDebugBuild = Bench.isDebugBuild
  let figures: [Figure]
  let failedChecks: [String]

  init(rows: Int, dimension: Int, figures: [Figure], failedChecks: [String]) {
    self.rows = rows
    self.dimension = dimension
    self.figures = figures
    self.failedChecks = failedChecks
  }

  func printTable() {
    Console.line("\n\(rows) synthetic items of \(dimension) dimensions\n\(machine.summary)\n")
    Console.line(
      Table.text(
        head: ["figure", "value", "unit", "compared"], figures.map(\.cells), right: [1]))
    if isDebugBuild { Console.line("A debug build: these figures mean nothing.") }
  }
}
