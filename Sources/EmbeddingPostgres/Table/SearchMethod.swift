/// How the server finds rows.
public enum SearchMethod: Sendable {
  /// In which order a scan of the graph goes on when a filter leaves too little.
  public enum Order: String, Sendable {
    /// Quicker; the device puts the rows in order.
    case relaxed = "relaxed_order"
    /// Exactly by distance.
    case strict = "strict_order"
  }

  /// By the graph, which finds nearly all of the best rows in a fraction of the time. Where a filter
  /// leaves too little, the graph is scanned on, and where even that does not bring `count` rows, all rows
  /// are compared: fewer come back only when fewer qualify.
  ///
  /// - `searchedRows`: rows that are considered at once (pgvector's `ef_search`), 1 to 1,000. More means
  ///   better recall.
  /// - `scannedRows`: where a scan of the graph gives up (`max_scan_tuples`), from 1 on.
  case graph(order: Order = .relaxed, searchedRows: Int = 200, scannedRows: Int = 20_000)
  /// By comparing all rows that pass the filter: the same matches as on the device.
  case exact

  func checked() throws(PostgresError) {
    guard case .graph(_, let searchedRows, let scannedRows) = self else { return }
    guard (1...1_000).contains(searchedRows), (1...Int(Int32.max)).contains(scannedRows) else {
      throw PostgresError(
        .invalidArgument,
        "A search of the graph considers 1 to 1,000 rows at once and scans at least 1.")
    }
  }
}
