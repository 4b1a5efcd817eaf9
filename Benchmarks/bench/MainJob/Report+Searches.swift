extension Report {
  /// Of searches in a set of data.
  init(_ data: DataSet, _ arguments: Arguments) {
    self.init(data: data.name, rows: data.rowCount, dimension: data.dimension)
    queries = min(arguments.queryCount, data.queries.count)
    threads = arguments.threadCount
  }
}
