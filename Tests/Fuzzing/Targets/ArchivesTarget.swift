import EmbeddingExchange
import EmbeddingStores
import EmbeddingTestSupport
import Foundation

/// An archive, or the files of a store for one, being restored.
///
/// Either an error says why not, and nothing is there; or a store is there that verifies, and that
/// comes back the same from an archive of its own.
struct ArchivesTarget: FuzzTarget {
  let name = "archives"

  /// The first byte of an input.
  private struct Form: OptionSet {
    let rawValue: UInt8
    static let sealed = Form(rawValue: 1)
    static let counted = Form(rawValue: 2)
    /// What follows is a `StoreImage`.
    static let files = Form(rawValue: 4)
  }

  func seeds() throws -> [[UInt8]] {
    let stores = try SeedStore.all()
    let archives = try stores.map { fileSystem in
      try ScratchFolder.with { directory in
        let archive = directory.url.appending(path: "archive")
        let place = directory.store()
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        for (name, bytes) in try StoreImage(of: fileSystem).archivedFiles {
          try Data(bytes).write(to: place.appending(path: name))
        }
        try EmbeddingStore(readingAt: place).archive(to: archive)
        return [UInt8](try Data(contentsOf: archive))
      }
    }
    let forms: [Form] = [[], .sealed, [.sealed, .counted]]
    return forms.flatMap { form in archives.map { [form.rawValue] + $0 } }
      + (try stores.map { try [Form.files.rawValue] + StoreImage(of: $0).encoded() })
  }

  func run(_ input: [UInt8]) throws {
    guard let first = input.first else { return }
    let form = Form(rawValue: first)
    var image: ArchiveImage
    if form.contains(.files) {
      var files = StoreImage(input: Array(input.dropFirst()))
      files.seal()
      image = ArchiveImage(of: files.archivedFiles)
    } else {
      image = ArchiveImage(Array(input.dropFirst()))
    }
    if form.contains(.counted) || form.contains(.files) { image.count() }
    if form.contains(.sealed) || form.contains(.files) { image.seal() }
    try ScratchFolder.with { try restore(image.bytes, in: $0) }
  }

  private func restore(_ bytes: [UInt8], in directory: TemporaryDirectory) throws {
    let archive = directory.url.appending(path: "archive")
    try Data(bytes).write(to: archive)
    let place = directory.store()
    do throws(StoreError) {
      try EmbeddingStore.restore(archive, to: place)
    } catch {
      let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
      return try FuzzFinding.require(names == ["archive"], "\(error) left \(names).")
    }
    let holdings = try self.holdings(of: place)
    let second = directory.url.appending(path: "second")
    try EmbeddingStore(readingAt: place, configuration: .fuzzed).archive(to: second)
    try EmbeddingStore.restore(second, to: directory.store("copy"))
    try FuzzFinding.require(
      try self.holdings(of: directory.store("copy")) == holdings,
      "A store did not come back from an archive as it was.")
  }

  private func holdings(of directory: URL) throws -> Holdings {
    let store = try EmbeddingStore(readingAt: directory, configuration: .fuzzed)
    let report = try store.verify()
    try FuzzFinding.require(report.isIntact, "What was restored is damaged: \(report.problems)")
    return try Holdings(store)
  }
}

extension StoreImage {
  /// The files that an archive has, under the names by which the manifest calls them.
  fileprivate var archivedFiles: [(name: String, bytes: [UInt8])] {
    let manifest = self[.manifest] ?? []
    let (main, journal) = (manifest.number(at: 32) as UInt64?, manifest.number(at: 40) as UInt64?)
    let files = [
      ("main-\(main ?? 1)", self[.main]), ("journal-\(journal ?? 1)", self[.journal]),
      ("MANIFEST", self[.manifest]),
    ]
    return files.compactMap { name, bytes in bytes.map { (name, $0) } }
  }
}
