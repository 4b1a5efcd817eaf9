/// Everything the store asks of an operating system, in one narrow seam.
///
/// A test replaces it to fail calls, to simulate crashes and to run without a disk. Paths are
/// plain strings in the form the system takes. Every method may be called from any thread.
package protocol FileSystem: Sendable {
  /// Opens `path`, never through a descriptor below 3 and always close-on-exec.
  ///
  /// `.create` fails when the file exists; `.readWrite` and `.read` fail when it does not.
  func open(_ path: String, _ access: FileAccess) throws(StorageError) -> any File

  /// What is at `path`, following symbolic links, or nil when nothing is.
  func attributes(of path: String) throws(StorageError) -> FileAttributes?

  /// Creates one directory; its parent must exist. Succeeds when a directory is there already.
  func createDirectory(_ path: String) throws(StorageError)

  /// The names in a directory, without `.` and `..`, in no particular order.
  func list(_ directory: String) throws(StorageError) -> [String]

  /// Replaces `destination` by `source` in one step; durable after `syncDirectory`.
  func rename(_ source: String, to destination: String) throws(StorageError)

  /// Gives `source` a name that nothing has, in one step; durable after `syncDirectory`. Fails with
  /// `.alreadyExists` when something has it, also a symbolic link that leads nowhere.
  func rename(_ source: String, toFreeName destination: String) throws(StorageError)

  /// Lets two directories that exist take each other's name in one step; durable after
  /// `syncDirectory`. Fails with `.unsupportedVolume` where that can not be done.
  func exchange(_ first: String, with second: String) throws(StorageError)

  /// Removes a file; succeeds when it is already gone. Durable after `syncDirectory`.
  func unlink(_ path: String) throws(StorageError)

  /// Makes creations, renames and removals in a directory survive power loss.
  func syncDirectory(_ path: String) throws(StorageError)

  /// Bytes that a file in `directory` may still take.
  func availableByteCount(at directory: String) throws(StorageError) -> UInt64
}

extension FileSystem {
  /// In two steps, where there are neither links nor other processes.
  package func rename(
    _ source: String, toFreeName destination: String
  ) throws(StorageError) {
    guard try attributes(of: destination) == nil else { throw .somethingIsThere(destination) }
    try rename(source, to: destination)
  }

  /// Only real volumes can.
  package func exchange(_ first: String, with second: String) throws(StorageError) {
    throw StorageError(
      .unsupportedVolume, path: first, "This file system can not exchange two directories.")
  }
}

package enum FileAccess: Sendable {
  case read, readWrite, create
}

/// How far written bytes must have travelled before a sync returns.
package enum SyncLevel: Sendable {
  /// Ordered before everything written later; the medium itself may hold them back.
  case barrier
  /// On the medium.
  case full
}

/// How `File.map` makes bytes readable.
package enum MapMode: Sendable {
  /// A shared read-only mapping; falls back to `heap` when the system has no address space left.
  case mapped
  /// A private copy on the heap: safe where another process may cut the file short.
  case heap
}

/// One open file. Closed when the last reference goes away, or by `close`.
package protocol File: AnyObject, Sendable {
  var path: String { get }

  func attributes() throws(StorageError) -> FileAttributes

  /// Reads up to `byteCount` bytes at `offset`; fewer only at the end of the file.
  func read(at offset: UInt64, byteCount: Int) throws(StorageError) -> [UInt8]

  /// Writes all bytes at `offset`, continuing short writes and interrupted calls.
  ///
  /// After an error any part of the bytes may have been written.
  func write(_ bytes: RawSpan, at offset: UInt64) throws(StorageError)

  /// Makes the file's bytes and size survive as `level` says.
  func sync(_ level: SyncLevel) throws(StorageError)

  func truncate(to byteCount: UInt64) throws(StorageError)

  /// The first `byteCount` bytes, readable until the result is released, whatever happens to the
  /// file's name. Fails when the file is shorter.
  func map(byteCount: Int, mode: MapMode) throws(StorageError) -> MappedBytes

  /// Takes the exclusive advisory lock of this open file without waiting; false when another
  /// open file holds it, in this process or another one.
  func tryLock() throws(StorageError) -> Bool

  func unlock() throws(StorageError)

  /// Closes and reports what the system says; later calls on the file throw `.closed`.
  func close() throws(StorageError)
}

package struct FileAttributes: Equatable, Sendable {
  package enum Kind: Sendable { case regular, directory, other }

  package var kind: Kind
  package var byteCount: UInt64
  package var identity: FileIdentity
  package var linkCount: UInt64
  /// Last modification, in nanoseconds since 1970.
  package var modifiedNanoseconds: Int64

  package init(
    kind: Kind, byteCount: UInt64, identity: FileIdentity, linkCount: UInt64,
    modifiedNanoseconds: Int64
  ) {
    self.kind = kind
    self.byteCount = byteCount
    self.identity = identity
    self.linkCount = linkCount
    self.modifiedNanoseconds = modifiedNanoseconds
  }
}

/// Which file it is, whatever its name: equal for hard links and through symbolic links.
package struct FileIdentity: Hashable, Sendable {
  package var device: UInt64
  package var inode: UInt64

  package init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}
