internal import EmbeddingStores
public import Foundation

/// The files of a directory and of those below it.
///
/// A file's key is its path from the directory, its revision comes from its size and modification
/// time, and its timestamp is that time. Hidden files, packages' contents, and what symbolic links
/// lead to are left out.
public struct DirectorySource<Input: Sendable>: ItemSource {
  /// The directory.
  public let directory: URL
  private let pathExtensions: Set<String>?
  private let load: @Sendable (URL) async throws -> [Input]
  private let pageSize = 500

  /// Lists the files of `directory` whose names end in one of `pathExtensions`, compared without
  /// case (nil for all files), and loads each with `load`, which may give several inputs for one.
  public init(
    _ directory: URL, pathExtensions: Set<String>? = nil,
    load: @escaping @Sendable (URL) async throws -> [Input]
  ) {
    self.directory = directory
    self.pathExtensions = pathExtensions.map { Set($0.map { $0.lowercased() }) }
    self.load = load
  }

  /// All files, 500 to a page.
  ///
  /// Throws `StoreError` with `.sourceFailed` at the end when the directory or something below it can
  /// not be read, so that nothing is taken for deleted; the rest is listed.
  public func pages() -> AsyncThrowingStream<[SourceItem], any Error> {
    let listing = DirectoryListing(directory, pathExtensions: pathExtensions)
    let pageSize = pageSize
    return AsyncThrowingStream { try await listing.next(pageSize) }
  }

  /// What `load` gives for the file; a file that is gone or may not be read is unavailable.
  public func inputs(of item: SourceItem) async throws -> [Input] {
    let file = directory.appending(path: item.key)
    guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else {
      throw ItemUnavailable("The file is gone.")
    }
    do {
      return try await load(file)
    } catch let error as CocoaError where error.code == .fileReadNoPermission {
      throw ItemUnavailable(error.localizedDescription)
    }
  }
}

extension DirectorySource<String> {
  /// The text files of `directory`, read as UTF-8.
  public init(textFilesIn directory: URL, pathExtensions: Set<String> = ["txt", "md"]) {
    self.init(directory, pathExtensions: pathExtensions) { file in
      [try String(contentsOf: file, encoding: .utf8)]
    }
  }
}

/// A walk through a directory, a page at a time.
private actor DirectoryListing {
  private let directory: URL
  private let pathExtensions: Set<String>?
  /// Directories still to be listed, as paths from the first one.
  private var pending = [""]
  private var files: ArraySlice<SourceItem> = []
  private var failure: (any Error)?

  init(_ directory: URL, pathExtensions: Set<String>?) {
    self.directory = directory
    self.pathExtensions = pathExtensions
  }

  /// Lists everything that can be, and only then throws for what could not.
  func next(_ count: Int) throws -> [SourceItem]? {
    while files.count < count, let path = pending.popLast() {
      do {
        try list(path)
      } catch {
        failure = failure ?? error
      }
    }
    defer { files = files.dropFirst(count) }
    guard files.isEmpty else { return Array(files.prefix(count)) }
    if let failure { throw failure }
    return nil
  }

  private func list(_ path: String) throws {
    let url = path.isEmpty ? directory : directory.appending(path: path)
    let entries: [URL]
    do {
      entries = try FileManager.default.contentsOfDirectory(
        at: url, includingPropertiesForKeys: Self.properties, options: .skipsHiddenFiles)
    } catch {
      throw unreadable(url, error)
    }
    for entry in entries.sorted(by: { $0.lastPathComponent < $1.lastPathComponent }) {
      let name = entry.lastPathComponent
      let key = path.isEmpty ? name : "\(path)/\(name)"
      guard let values = try values(of: entry) else { continue }
      if values.isDirectory == true {
        if values.isPackage != true { pending.append(key) }
      } else if values.isRegularFile == true, isWanted(name) {
        files.append(item(key, values))
      }
    }
  }

  /// What is known of a file; nil when it vanished between listing and asking.
  private func values(of entry: URL) throws -> URLResourceValues? {
    do {
      return try entry.resourceValues(forKeys: Set(Self.properties))
    } catch let error as CocoaError
      where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile
    {
      return nil
    } catch {
      throw unreadable(entry, error)
    }
  }

  private func unreadable(_ url: URL, _ error: any Error) -> StoreError {
    StoreError(
      .sourceFailed,
      "This can not be read, so it is not known which items are left: "
        + "\(error.localizedDescription)", path: url.path(percentEncoded: false))
  }

  private func isWanted(_ name: String) -> Bool {
    guard let pathExtensions else { return true }
    return pathExtensions.contains(
      URL(filePath: name, directoryHint: .notDirectory).pathExtension.lowercased())
  }

  private func item(_ key: String, _ values: URLResourceValues) -> SourceItem {
    let modified = values.contentModificationDate
    let time = modified?.timeIntervalSinceReferenceDate.bitPattern ?? 0
    return SourceItem(
      key: key, revision: Revision("\(values.fileSize ?? 0) \(time)"), timestamp: modified)
  }

  private static let properties: [URLResourceKey] = [
    .isDirectoryKey, .isPackageKey, .isRegularFileKey, .fileSizeKey, .contentModificationDateKey,
  ]
}
