import EmbeddingPostgres
import EmbeddingStores
import Foundation

/// Copies a store to a PostgreSQL server, searches it there and here, and compares.
struct PostgresJob {
  private let arguments: Arguments
  private let checks = Checks()

  init(_ arguments: Arguments) {
    self.arguments = arguments
  }

  func run() async throws {
    try JSONFile.prepare(arguments.json)
    let connectionString = try PostgresPlace.connectionString()
    let scratch = try ScratchDirectory(below: arguments.directory)
    defer { scratch.remove() }
    let data = try DataSetLocation.load(arguments, scratch: scratch.url)
    let store = try await makeStore(data, scratch.url.appending(path: "store"))
    let place = try await PostgresPlace(connectionString, store.space)
    var report = Report(data, arguments)
    report.figures = try await copy(data, store, place, scratch.url)
    report.figures += try await search(data, store, place)
    report.failedChecks = checks.failures
    report.printTable()
    try JSONFile.write(report, to: arguments.json)
    try checks.report()
  }

  /// The rows with labels that let every second, twentieth and two hundredth of them through.
  private func makeStore(_ data: DataSet, _ url: URL) async throws -> EmbeddingStore {
    let space = EmbeddingSpace(model: data.name, dimension: data.dimension)
    let store = try EmbeddingStore(at: url, space: space)
    for rows in data.batches(of: 4_096) {
      try store.put(
        rows.map { row in
          var record = data.plainRecord(of: row)
          record.labels = Selectivity.labels(of: row)
          return record
        })
    }
    try await store.compact()
    return store
  }

  private func copy(
    _ data: DataSet, _ store: EmbeddingStore, _ place: PostgresPlace, _ scratch: URL
  ) async throws -> [Figure] {
    // Watching the memory costs time, so it is done with a copy of its own.
    let watched = try await place.emptyTable("bench_watched")
    let peak = try await PrivateMemory.growth { () async throws in
      try await watched.push(store, device: "bench")
    }
    let clock = ContinuousClock.now
    try await place.table.push(store, device: "bench")
    let first = Stopwatch.seconds(clock.duration(to: .now))
    let file = try Stopwatch.seconds {
      let file = try PostgresCopyFile(
        of: store, for: place.table.schema, at: scratch.appending(path: "rows.copy"))
      checks.expect(file.rowCount == data.rowCount, "the file has \(file.rowCount) rows")
    }
    let arrived = try await place.table.count()
    checks.expect(arrived == data.rowCount, "\(arrived) rows arrived of \(data.rowCount)")
    let inserted = try place.insertByPsycopg(data)
    // Once more: the machine may be busier at one time than at another.
    let again = try await place.emptyTable("bench_copied_again")
    let second = ContinuousClock.now
    try await again.push(store, device: "bench")
    let seconds = (first + Stopwatch.seconds(second.duration(to: .now))) / 2
    let count = Double(data.rowCount)
    let rate = count / seconds
    // Both begin with rows in a file and end with rows that are committed.
    let ratio = inserted.total / seconds
    if ratio < 5 { Console.line("MISSED: copying was only \(Decimals.text(ratio)) times as fast.") }
    // A busy machine slows one side more than the other; half of what is promised is no such chance.
    checks.expect(BuildKind.isDebug || ratio >= 2.5, "copying was \(ratio) times as fast")
    var figures = [
      Figure(
        "copy", "push to an empty table", rate, .rowsPerSecond, ratio: ratio, to: "psycopg"),
      Figure("insert", "psycopg, 1,000 rows an INSERT", count / inserted.total, .rowsPerSecond),
      Figure(
        "insert_only", "the same, its texts made before", count / inserted.inserting,
        .rowsPerSecond, ratio: inserted.inserting / seconds, to: "the push's time"),
    ]
    figures.append(
      Figure(
        "copy_file", "a file for psql", count / file, .rowsPerSecond, ratio: count / file / rate,
        to: "the push"))
    if let peak {
      let megabytes = Double(peak) / 1e6
      checks.expect(megabytes < 50, "copying took \(megabytes) MB")
      figures.append(
        Figure(
          "copy_memory", "private memory that copying added", megabytes, .megabytes,
          ratio: megabytes / 50, to: "the 50 MB allowed"))
    }
    let started = ContinuousClock.now
    try await place.table.createIndexes(maintenanceMegabytes: 1_024)
    let indexing = Stopwatch.seconds(started.duration(to: .now))
    figures.append(Figure("index", "building the indexes there", indexing, .seconds))
    figures.append(
      Figure("size", "table and indexes there", try place.megabytes(), .megabytes))
    return figures
  }

  private func search(
    _ data: DataSet, _ store: EmbeddingStore, _ place: PostgresPlace
  ) async throws -> [Figure] {
    let queries = data.queries.prefix(arguments.queryCount)
    var figures: [Figure] = []
    for selectivity in Selectivity.allCases {
      let comparison = try await SearchComparison(
        queries, selectivity, store, place.table, checks)
      figures += comparison.figures
    }
    return figures
  }
}
