/// How far an import has come.
public struct ImportProgress: Equatable, Sendable {
  /// Rows that were found good.
  public let checkedRowCount: Int
  /// Rows that are stored.
  public let storedRowCount: Int
  /// Rows to check and to store.
  public let totalRowCount: Int
}
