internal import Foundation

/// What the system says of a process in /proc: nil where there is none.
enum ProcessFiles {
  static var exist: Bool {
    #if os(Linux)
      FileManager.default.isReadableFile(atPath: "/proc/self/smaps_rollup")
    #else
      false
    #endif
  }

  /// Bytes in memory, shared ones included.
  static func residentByteCount(_ process: Int32) -> Int? { byteCount("Rss:", process) }

  /// Bytes in memory that belong to no file.
  static func anonymousByteCount(_ process: Int32) -> Int? { byteCount("Anonymous:", process) }

  static func descriptorCount(_ process: Int32) -> Int? {
    try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
  }

  static func mappingCount(_ process: Int32) -> Int? { lines("\(process)/maps")?.count }

  /// The numbers of the files that are locked by any process.
  static func lockedFiles() -> Set<UInt64>? {
    lines("locks").map { lines in
      Set(
        lines.flatMap { $0.split(separator: " ") }.compactMap { word in
          // The device's two numbers and the file's.
          let parts = word.split(separator: ":")
          return parts.count == 3 ? UInt64(parts[2]) : nil
        })
    }
  }

  private static func byteCount(_ field: String, _ process: Int32) -> Int? {
    guard let line = lines("\(process)/smaps_rollup")?.first(where: { $0.hasPrefix(field) }),
      let number = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return nil }
    return number * 1_024
  }

  private static func lines(_ name: String) -> [Substring]? {
    guard exist, let data = FileManager.default.contents(atPath: "/proc/\(name)") else {
      return nil
    }
    return String(decoding: data, as: UTF8.self).split(separator: "\n")
  }
}
