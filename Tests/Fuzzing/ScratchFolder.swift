import EmbeddingTestSupport
import Foundation

/// A directory for targets that read files by their names, gone when `body` has returned.
enum ScratchFolder {
  static func with<Result>(_ body: (TemporaryDirectory) throws -> Result) throws -> Result {
    // The last use of an object may be long before the end of what needs its directory.
    let directory = try TemporaryDirectory()
    return try withExtendedLifetime(directory) { try body(directory) }
  }
}
