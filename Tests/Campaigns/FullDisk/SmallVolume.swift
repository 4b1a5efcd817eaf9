internal import Foundation

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A volume of 2 MiB in memory that only this process sees, and that is gone when it ends, however
/// it ends.
///
/// It is mounted, opened and unmounted at once: what keeps it is the descriptor, through which it
/// is also reached. Needs Linux and the rights of the superuser.
final class SmallVolume {
  static let byteCount = 2 << 20

  let url: URL
  private let descriptor: Int32

  /// Nil where a process may not mount.
  init?(below directory: URL) throws {
    #if os(Linux)
      let point = directory.appending(path: "volume", directoryHint: .isDirectory)
      try FileManager.default.createDirectory(at: point, withIntermediateDirectories: true)
      let options = ["-t", "tmpfs", "-o", "size=\(Self.byteCount)", "tmpfs", point.path]
      guard try Self.run("mount", options) else { return nil }
      descriptor = Glibc.open(point.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard try Self.run("umount", ["--lazy", point.path]), descriptor >= 0 else {
        throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: point.path])
      }
      url = URL(filePath: "/proc/self/fd/\(descriptor)", directoryHint: .isDirectory)
    #else
      return nil
    #endif
  }

  deinit { close(descriptor) }

  /// Removes everything on the volume.
  func empty() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
      try FileManager.default.removeItem(at: url.appending(path: name))
    }
  }

  /// Writes a file of at most `byteCount` bytes, fewer when the volume is full.
  func fill(_ name: String, byteCount: Int) {
    let descriptor = open(url.appending(path: name).path, O_WRONLY | O_CREAT, 0o644)
    defer { close(descriptor) }
    let page = [UInt8](repeating: 1, count: 4_096)
    var written = 0
    while written < byteCount {
      let count = write(descriptor, page, min(page.count, byteCount - written))
      guard count > 0 else { return }
      written += count
    }
  }

  private static func run(_ tool: String, _ arguments: [String]) throws -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [tool] + arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
