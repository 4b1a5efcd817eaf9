/// How far an export has come.
public struct ExportProgress: Equatable, Sendable {
  /// Rows written.
  public let writtenRowCount: Int
  /// Rows to write.
  public let totalRowCount: Int
}
