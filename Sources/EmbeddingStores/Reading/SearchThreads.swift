internal import Foundation

/// How many threads work on one search, as its store was configured.
struct SearchThreads: Sendable {
  private let configuredCount: Int
  private let byteCountPerThread: Int

  init(_ configuration: StoreConfiguration) {
    configuredCount = configuration.searchThreadCount
    byteCountPerThread = max(configuration.byteCountPerSearchThread, 1)
  }

  /// As many as may be used.
  var most: Int {
    configuredCount > 0 ? configuredCount : ProcessInfo.processInfo.activeProcessorCount
  }

  /// As many as pay for reading so many bytes.
  func count(forBytes byteCount: Int) -> Int {
    max(1, min(most, byteCount / byteCountPerThread))
  }
}
