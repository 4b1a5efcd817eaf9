package import Foundation

/// A directory of its own for one test, removed with everything in it when released.
package final class TemporaryDirectory: Sendable {
  package let url: URL

  package init() throws {
    let name = "embedding-store-\(UInt64.random(in: .min ... .max))"
    url = FileManager.default.temporaryDirectory.appending(path: name, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Where a store may go: a name in the directory at which nothing is yet.
  package func store(_ name: String = "store") -> URL {
    url.appending(path: name, directoryHint: .isDirectory)
  }
}

/// The bytes of every file below a directory, to see what a call changed.
package struct DirectoryImage: Equatable {
  package var files: [String: Data] = [:]

  package init(_ directory: URL) throws {
    for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
      let url = directory.appending(path: name)
      var isDirectory: ObjCBool = false
      guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory),
        !isDirectory.boolValue
      else { continue }
      files[name] = try Data(contentsOf: url)
    }
  }

  package var byteCount: Int { files.values.reduce(0) { $0 + $1.count } }

  package func contains(_ bytes: Data) -> Bool {
    files.values.contains { $0.range(of: bytes) != nil }
  }
}

extension URL {
  /// A copy of a directory as a kill of its writers would leave it.
  package func copied(to copy: URL) throws -> URL {
    try FileManager.default.copyItem(at: self, to: copy)
    return copy
  }

  /// The one file in this directory whose name begins so.
  package func file(startingWith prefix: String) throws -> URL {
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
      .filter { $0.hasPrefix(prefix) }
    guard names.count == 1, let name = names.first else {
      throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: "\(path)/\(prefix)*"])
    }
    return appending(path: name, directoryHint: .notDirectory)
  }
}
