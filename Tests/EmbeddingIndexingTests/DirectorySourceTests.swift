import EmbeddingIndexing
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

@Suite struct DirectorySourceTests {
  private let directory: TemporaryDirectory
  private var root: URL { directory.url }

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func write(_ text: String, to path: String) throws {
    let file = root.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func items(_ source: DirectorySource<String>) async throws -> [SourceItem] {
    var items: [SourceItem] = []
    for try await page in source.pages() { items += page }
    return items.sorted { $0.key < $1.key }
  }

  @Test func listsFilesBelowItByTheirPaths() async throws {
    try write("a", to: "a.txt")
    try write("b", to: "deep/er/b.MD")
    try write("c", to: "deep/é 👩‍👩‍👧 50%.txt")
    try write("no", to: "c.png")
    try write("no", to: ".hidden.txt")
    try write("no", to: ".git/config.txt")
    let items = try await items(DirectorySource(textFilesIn: root))
    #expect(items.map(\.key) == ["a.txt", "deep/er/b.MD", "deep/é 👩‍👩‍👧 50%.txt"])
    #expect(items.allSatisfy { $0.revision != nil && $0.timestamp != nil && $0.labels == nil })
    let source = DirectorySource(textFilesIn: root)
    #expect(try await source.inputs(of: items[2]) == ["c"])
    #expect(try await self.items(DirectorySource(root) { _ in [""] }).count == 4)
  }

  @Test func aFileThatChangesHasAnotherRevision() async throws {
    try write("one", to: "a.txt")
    let before = try await items(DirectorySource(textFilesIn: root))
    #expect(try await items(DirectorySource(textFilesIn: root)) == before)
    try write("longer", to: "a.txt")
    let longer = try await items(DirectorySource(textFilesIn: root))
    #expect(longer.first?.revision != before.first?.revision)
    let file = root.appending(path: "a.txt").path(percentEncoded: false)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 5)], ofItemAtPath: file)
    let older = try await items(DirectorySource(textFilesIn: root))
    #expect(older.first?.revision != longer.first?.revision)
    #expect(older.first?.timestamp == Date(timeIntervalSince1970: 5))
  }

  @Test func comesInPagesThatHoldEachFileOnce() async throws {
    for number in 0..<1_203 { try write("", to: "\(number % 7)/\(number).txt") }
    var sizes: [Int] = []
    var keys: Set<String> = []
    for try await page in DirectorySource(textFilesIn: root).pages() {
      sizes.append(page.count)
      keys.formUnion(page.map(\.key))
    }
    #expect(sizes == [500, 500, 203] && keys.count == 1_203)
  }

  @Test func aMissingDirectoryIsAnErrorAndNotAnEmptyOne() async throws {
    let source = DirectorySource(textFilesIn: root.appending(path: "nothing"))
    let error = await #expect(throws: StoreError.self) { try await items(source) }
    #expect(error?.code == .sourceFailed)
    #expect(error?.path?.hasSuffix("nothing") == true)
  }

  @Test(.enabled(if: getuid() != 0, "The superuser may read everything."))
  func aDirectoryThatMayNotBeReadIsAnError() async throws {
    try write("", to: "locked/a.txt")
    let locked = root.appending(path: "locked").path(percentEncoded: false)
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: locked)
    defer {
      try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: locked)
    }
    await #expect(throws: StoreError.self) { try await items(DirectorySource(textFilesIn: root)) }
  }

  @Test func aFileThatIsGoneIsUnavailableAndOneThatIsNotTextIsBroken() async throws {
    try write("good", to: "good.txt")
    try Data([0xff, 0xfe, 0x80]).write(to: root.appending(path: "bad.txt"))
    try write("", to: "empty.txt")
    let store = try EmbeddingStore(inMemory: HashedTextEncoder().space)
    let indexer = try Indexer(
      store: store, source: DirectorySource(textFilesIn: root), encoder: HashedTextEncoder())
    let progress = try await indexer.run()
    #expect(progress.completed == 1 && progress.failed == 2)
    #expect(try store.contains("good.txt"))

    let gone = SourceItem(key: "gone.txt")
    await #expect(throws: ItemUnavailable.self) {
      try await DirectorySource(textFilesIn: root).inputs(of: gone)
    }
  }

  @Test func symbolicLinksAreNotFollowed() async throws {
    try write("a", to: "a.txt")
    try FileManager.default.createSymbolicLink(
      at: root.appending(path: "loop"), withDestinationURL: root)
    try FileManager.default.createSymbolicLink(
      at: root.appending(path: "link.txt"), withDestinationURL: root.appending(path: "a.txt"))
    #expect(try await items(DirectorySource(textFilesIn: root)).map(\.key) == ["a.txt"])
  }
}
