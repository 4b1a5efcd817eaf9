internal import Foundation

/// A directory whose files are in memory, where the system has one.
enum MemoryDirectory {
  static var url: URL? {
    let url = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    return FileManager.default.isWritableFile(atPath: url.path) ? url : nil
  }
}
