internal import EmbeddingTestSupport
internal import Foundation

/// Looks whether any file of a store is locked, as the system tells it and as another process sees
/// it.
struct LockWitness {
  private let url: URL
  private let process: Worker

  init(_ url: URL) throws {
    self.url = url
    process = try Worker(["try-locks", url.path])
  }

  /// What is locked, if anything.
  func lockedFile() throws -> String? {
    if let locked = ProcessFiles.lockedFiles() {
      for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
        let attributes = try FileManager.default.attributesOfItem(
          atPath: url.appending(path: name).path)
        guard let number = attributes[.systemFileNumber] as? UInt64 else {
          throw CocoaError(.fileReadUnknown)
        }
        if locked.contains(number) { return "\(name), as the system says" }
      }
    }
    let answer = try process.ask("look")
    return answer == "locked: " ? nil : answer ?? "nobody to ask"
  }
}
