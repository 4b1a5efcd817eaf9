/// All figures of a run, for the table and for `--json`.
struct Report: Encodable {
  let machine = Machine()
  let data: String
  let rows: Int
  let dimension: Int
  let queries: Int
  let threads: Int
  let isDebugBuild = Bench.isDebugBuild
  var figures: [Figure] = []
  var failedChecks: [String] = []

  init(_ data: DataSet, _ arguments: Arguments) {
    self.data = data.name
    rows = data.rowCount
    dimension = data.dimension
    queries = min(arguments.queryCount, data.queries.count)
    threads = arguments.threadCount
  }

  var summary: String {
    let threadNote = threads == 0 ? "one thread per core" : "\(threads) thread(s)"
    return "\(data): \(rows) x \(dimension), \(queries) queries, \(threadNote) per search\n"
      + machine.summary
  }

  func printTable() {
    Console.line("\n" + summary + "\n")
    Console.line(
      Table.text(
        head: ["figure", "value", "unit", "compared"], figures.map(\.cells), right: [1]))
    if Bench.isDebugBuild { Console.line("A debug build: these figures mean nothing.") }
  }
}
