import EmbeddingFiles
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Synchronization
import Testing

/// Another store takes the place of one while that is being opened, as at the end of a migration.
///
/// The files of both have the same names. Opening read the manifest of one and then a file of the
/// other, and called the store corrupt; or, when it was to salvage, left out the journal.
@Suite struct ExchangedStoreTests {
  @Test(arguments: ["main-1", "journal-1"], [StoreConfiguration.Recovery.strict, .salvage])
  func openingFindsOneStoreOrTheOther(
    file: String, recovery: StoreConfiguration.Recovery
  ) throws {
    let directory = try TemporaryDirectory()
    for (name, count) in [("here", 2), ("there", 3)] {
      let space = EmbeddingSpace(model: name, dimension: 2)
      let store = try EmbeddingStore(at: directory.store(name), space: space)
      try store.put((0..<count).map { Record(key: "\($0)", vector: [1, 0]) })
      try store.close()
    }
    let here = directory.store("here").path
    let fileSystem = ExchangingFileSystem(
      here, with: directory.store("there").path, before: "\(here)/\(file)")
    var configuration = StoreConfiguration()
    configuration.recovery = recovery
    let store = try EmbeddingStore(
      fileSystem, path: here, space: nil, isReadOnly: true, configuration)
    #expect(store.space.model == "there")
    #expect(try store.count() == 3)
    #expect(try store.verify().isIntact)
  }
}

/// Lets two directories change places before a file is opened for the first time.
private final class ExchangingFileSystem: FileSystem {
  private let base = POSIXFileSystem()
  private let places: (first: String, second: String)
  private let trigger: Mutex<String?>

  init(_ first: String, with second: String, before path: String) {
    places = (first, second)
    trigger = Mutex(path)
  }

  func open(_ path: String, _ access: FileAccess) throws(StorageError) -> any File {
    let isTime = trigger.withLock { trigger in
      guard trigger == path else { return false }
      trigger = nil
      return true
    }
    if isTime { try base.exchange(places.first, with: places.second) }
    return try base.open(path, access)
  }

  func attributes(of path: String) throws(StorageError) -> FileAttributes? {
    try base.attributes(of: path)
  }

  func createDirectory(_ path: String) throws(StorageError) { try base.createDirectory(path) }

  func list(_ directory: String) throws(StorageError) -> [String] { try base.list(directory) }

  func rename(_ source: String, to destination: String) throws(StorageError) {
    try base.rename(source, to: destination)
  }

  func unlink(_ path: String) throws(StorageError) { try base.unlink(path) }

  func syncDirectory(_ path: String) throws(StorageError) { try base.syncDirectory(path) }

  func availableByteCount(at directory: String) throws(StorageError) -> UInt64 {
    try base.availableByteCount(at: directory)
  }
}
