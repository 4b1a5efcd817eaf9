/// Whether figures of this build mean anything.
enum BuildKind {
  #if DEBUG
    static let isDebug = true
  #else
    static let isDebug = false
  #endif

  /// Rows that a debug build takes, where unoptimised code makes more of them slow.
  static let debugRowCount = 512
}
