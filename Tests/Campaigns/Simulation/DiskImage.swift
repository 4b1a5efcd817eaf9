/// A file of a simulated disk, whatever its name.
typealias FileNumber = Int

/// What is on a simulated disk: directories, names, and the bytes behind the names.
struct DiskImage: Sendable {
  var directories: Set<String> = ["/"]
  var names: [String: FileNumber] = [:]
  var contents: [FileNumber: [UInt8]] = [:]

  /// The directory that holds a name.
  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// The image as a machine finds it when it starts: no name outside of a directory, no file
  /// without a name.
  var afterRestart: DiskImage {
    var image = self
    image.names = names.filter { directories.contains(Self.parent(of: $0.key)) }
    let named = Set(image.names.values)
    image.contents = contents.filter { named.contains($0.key) }
    return image
  }
}

/// One change to a disk, or a promise about the changes before it.
enum DiskOperation: Sendable {
  case makeDirectory(String)
  case bind(String, FileNumber)
  case rename(from: String, to: String, FileNumber)
  case unbind(String)
  case write(FileNumber, at: Int, [UInt8])
  case resize(FileNumber, Int)
  /// Later changes reach the medium only after the earlier ones to this file.
  case barrier(FileNumber)

  /// The file whose bytes it changes, if it does.
  var file: FileNumber? {
    switch self {
    case .write(let file, _, _), .resize(let file, _): file
    default: nil
    }
  }

  /// Whether a sync of `file` leaves nothing to be said about it.
  func isSettled(bySyncOf file: FileNumber) -> Bool {
    if case .barrier(let ordered) = self { return ordered == file }
    return self.file == file
  }

  /// The directory whose entries it changes, if it does.
  var directory: String? {
    switch self {
    case .makeDirectory(let path), .bind(let path, _), .rename(_, let path, _), .unbind(let path):
      DiskImage.parent(of: path)
    default: nil
    }
  }
}

extension DiskImage {
  mutating func apply(_ operation: DiskOperation) {
    switch operation {
    case .makeDirectory(let path): directories.insert(path)
    case .bind(let path, let file): names[path] = file
    case .rename(let from, let to, let file):
      names[from] = nil
      names[to] = file
    case .unbind(let path): names[path] = nil
    case .write(let file, let offset, let bytes): write(bytes, to: file, at: offset)
    case .resize(let file, let size): resize(file, to: size, filling: 0)
    case .barrier: break
    }
  }

  mutating func write(_ bytes: some Collection<UInt8>, to file: FileNumber, at offset: Int) {
    let end = offset + bytes.count
    if contents[file, default: []].count < end { resize(file, to: end, filling: 0) }
    contents[file]?.replaceSubrange(offset..<end, with: bytes)
  }

  /// Cuts a file, or makes it longer with bytes that nobody wrote.
  mutating func resize(_ file: FileNumber, to size: Int, filling byte: UInt8) {
    let count = contents[file, default: []].count
    if size < count {
      contents[file]?.removeLast(count - size)
    } else {
      contents[file, default: []].append(
        contentsOf: repeatElement(byte, count: size - count))
    }
  }
}
