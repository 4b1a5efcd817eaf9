import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Where a store may and may not be: typed errors, and nothing changed by a call that fails.
@Suite struct PathTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test func aFileIsNotADirectory() throws {
    let url = directory.url.appending(path: "file")
    try Data("hello".utf8).write(to: url)
    for url in [url, url.appending(path: "below")] {
      expectError(.notADirectory, naming: "file") {
        _ = try EmbeddingStore(at: url, space: .small)
      }
      expectError(.notADirectory, naming: "file") { _ = try EmbeddingStore(readingAt: url) }
    }
    #expect(try DirectoryImage(directory.url).files == ["file": Data("hello".utf8)])
  }

  @Test func aMissingParentIsNotFoundAndNotCreated() throws {
    let url = directory.url.appending(path: "missing/store")
    expectError(.notFound, naming: "missing/store") {
      _ = try EmbeddingStore(at: url, space: .small)
    }
    expectError(.notFound, naming: "missing/store") { _ = try EmbeddingStore(readingAt: url) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == [])
  }

  @Test func readingWhereNoStoreIsIsNotFoundAndCreatesNothing() throws {
    expectError(.notFound, naming: "store") { _ = try EmbeddingStore(readingAt: directory.store()) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == [])
    expectError(.notFound) { _ = try EmbeddingStore(readingAt: directory.url) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == [])
  }

  @Test func aURLThatIsNoFilesIsRefused() throws {
    for text in ["https://example.com/store", "ftp://host/store", "data:text/plain,store"] {
      let url = try #require(URL(string: text))
      expectError(.invalidArgument, naming: text) {
        _ = try EmbeddingStore(at: url, space: .small)
      }
      expectError(.invalidArgument) { _ = try EmbeddingStore(readingAt: url) }
    }
    let store = try EmbeddingStore(inMemory: .small)
    let url = try #require(URL(string: "https://example.com"))
    expectError(.invalidArgument) { try store.backup(to: url) }
  }

  @Test func aDirectoryWithOtherFilesIsNotAStore() throws {
    let photo = directory.url.appending(path: "IMG_0001.jpg")
    try Data("photo".utf8).write(to: photo)
    expectError(.notAStore, naming: "IMG_0001.jpg") {
      _ = try EmbeddingStore(at: directory.url, space: .small)
    }
    #expect(try DirectoryImage(directory.url).files == ["IMG_0001.jpg": Data("photo".utf8)])
  }

  @Test func anEmptyDirectoryOrOneWithHiddenFilesBecomesAStore() throws {
    try Data("finder".utf8).write(to: directory.url.appending(path: ".DS_Store"))
    let store = try EmbeddingStore(at: directory.url, space: .small)
    try store.put(numberedRecords(0..<3))
    #expect(store.openReport.wasCreated)
    #expect(try DirectoryImage(directory.url).files[".DS_Store"] == Data("finder".utf8))
  }

  @Test(arguments: [
    "with spaces and %25 and #", "emoji 🏖️", "caf\u{e9}", "cafe\u{301}", "-n", "a'b\"c\\d",
    String(repeating: "x", count: 255), String(repeating: "\u{e9}", count: 127), "trailing/",
    "trailing///", "./dot/../dot2", "100%", "%", "%2F", "%2e%2e", "a+b&c=d;e?f", "\n",
  ])
  func anyNameWillDo(name: String) throws {
    try FileManager.default.createDirectory(
      at: directory.store("dot"), withIntermediateDirectories: true)
    let url = directory.url.appending(path: name)
    do {
      let store = try EmbeddingStore(at: url, space: .small)
      try store.put(numberedRecords(0..<3))
      try store.compact()
    }
    let store = try EmbeddingStore(at: url, space: .small)
    #expect(try store.count() == 3)
    #expect(try store.verify().isIntact)
    #expect(FileManager.default.fileExists(atPath: url.appending(path: "MANIFEST").path))
  }

  @Test func composedAndDecomposedNamesAreTwoStores() throws {
    // Apple's file systems take the two for one name.
    #if os(Linux)
      let first = try EmbeddingStore(at: directory.store("caf\u{e9}"), space: .small)
      let second = try EmbeddingStore(at: directory.store("cafe\u{301}"), space: .small)
      try first.put(numberedRecords(0..<3))
      #expect(try second.count() == 0)
    #endif
  }

  @Test func aSymbolicLinkLeadsToTheStore() throws {
    let link = directory.url.appending(path: "link")
    do {
      let store = try EmbeddingStore(at: directory.store(), space: .small)
      try store.put(numberedRecords(0..<3))
    }
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: directory.store())
    let store = try EmbeddingStore(at: link, space: .small)
    try store.put(numberedRecords(3..<5))
    try store.compact()
    #expect(try EmbeddingStore(readingAt: directory.store()).count() == 5)
  }

  @Test func aLinkThatLeadsNowhereOrToItselfIsNoPlaceForAStore() throws {
    let files = FileManager.default
    for (name, destination, writing, reading) in [
      ("dangling", "nowhere", StoreError.Code.notADirectory, StoreError.Code.notFound),
      ("loop", "loop", .inputOutput, .inputOutput),
      ("file-link", "file", .notADirectory, .notADirectory),
    ] {
      try Data("file".utf8).write(to: directory.url.appending(path: "file"))
      let link = directory.url.appending(path: name)
      try files.createSymbolicLink(atPath: link.path, withDestinationPath: destination)
      expectError(writing, naming: name) { _ = try EmbeddingStore(at: link, space: .small) }
      expectError(reading, naming: name) { _ = try EmbeddingStore(readingAt: link) }
    }
    #expect(
      Set(try files.contentsOfDirectory(atPath: directory.url.path))
        == ["file", "dangling", "loop", "file-link"])
  }

  @Test func aLinkThatTurnsToAnotherStoreIsAMove() throws {
    for name in ["first", "second"] {
      _ = try EmbeddingStore(at: directory.store(name), space: .small)
    }
    let link = directory.url.appending(path: "link")
    let files = FileManager.default
    try files.createSymbolicLink(atPath: link.path, withDestinationPath: "first")
    let store = try EmbeddingStore(at: link, space: .small)
    try store.put(numberedRecords(0..<3))
    try files.removeItem(at: link)
    try files.createSymbolicLink(atPath: link.path, withDestinationPath: "second")
    let before = try DirectoryImage(directory.url)
    expectError(.storeMoved) { try store.put(numberedRecords(3..<4)) }
    expectError(.storeMoved) { _ = try store.refresh() }
    #expect(try store.count() == 3)
    #expect(try DirectoryImage(directory.url) == before)
  }

  @Test func aNameLongerThanTheSystemTakesIsAnErrorAndNothingIsMade() throws {
    for name in [String(repeating: "n", count: 256), String(repeating: "\u{e9}", count: 128)] {
      let url = directory.url.appending(path: name)
      expectError(.inputOutput) { _ = try EmbeddingStore(at: url, space: .small) }
      expectError(.inputOutput) { _ = try EmbeddingStore(readingAt: url) }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == [])
  }

  /// The longest name in a store has 24 bytes, and needs a slash before it and a zero behind.
  @Test(arguments: [1_025, 4_070, 4_088, 4_095])
  func aPathOfAnyLengthIsAStoreOrAnError(byteCount: Int) throws {
    #if os(Linux)
      let parent = try deepDirectory(byteCount: byteCount - 20)
      let url = parent.appending(
        path: String(repeating: "s", count: byteCount - parent.path.utf8.count - 1))
      #expect(url.path.utf8.count == byteCount)
      if byteCount <= 4_070 {
        let store = try EmbeddingStore(at: url, space: .small)
        try store.put(numberedRecords(0..<3))
        try store.compact()
        #expect(try store.verify().isIntact)
        #expect(try EmbeddingStore(readingAt: url).count() == 3)
      } else {
        for _ in 0..<2 {
          expectError(.inputOutput) { _ = try EmbeddingStore(at: url, space: .small) }
        }
        let names = try DirectoryImage(directory.url).files.keys.map { $0.suffix(4) }
        #expect(Set(names).isSubset(of: ["LOCK"]))
      }
    #endif
  }

  /// A new directory whose path has this many bytes, or up to 200 less.
  private func deepDirectory(byteCount: Int) throws -> URL {
    var url = directory.url
    while byteCount - url.path.utf8.count > 1 {
      let name = String(repeating: "d", count: min(200, byteCount - url.path.utf8.count - 1))
      url.append(path: name)
    }
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }

  @Test func aRelativePathMeansWhereItPointedWhenTheStoreWasOpened() throws {
    let worker = try Worker(["relative", directory.url.path])
    var answers: [String] = []
    while let line = worker.readLine() { answers.append(line) }
    #expect(answers == ["ok", "ok", "4", "true"])
    #expect(try EmbeddingStore(readingAt: directory.store()).count() == 4)
    let base = directory.url
    let url = try #require(URL(string: "a/../store/", relativeTo: base))
    #expect(try EmbeddingStore(readingAt: url).count() == 4)
  }

  // A backup made of hard links must not change with the store. Found by these tests: it did.
  @Test(arguments: ["journal-1", "main-1"])
  func aFileWithASecondNameIsNotWritten(name: String) throws {
    let store = try EmbeddingStore(at: directory.store(), space: .small)
    try store.put(numberedRecords(0..<3))
    let link = directory.url.appending(path: "link")
    try FileManager.default.linkItem(at: directory.store().appending(path: name), to: link)
    let before = try Data(contentsOf: link)
    do {
      try store.put(numberedRecords(3..<4))
      // The main file is never written, so a second name of it does no harm.
      #expect(name == "main-1")
    } catch {
      #expect(error.code == .hardLinked && error.path?.contains(name) ?? false, "\(error)")
    }
    #expect(try Data(contentsOf: link) == before)
    #expect(try store.count() == (name == "main-1" ? 4 : 3))
    try FileManager.default.removeItem(at: link)
    try store.put(numberedRecords(4..<5))
  }

  #if os(Linux)
    @Test(.enabled(if: getuid() == 0, "Needs the right to give rights up."))
    func withoutPermissionNothingIsReadOrWritten() throws {
      let file = FileManager.default
      for (mode, fileMode, expected) in [
        (0o000, 0o644, ["permissionDenied", "permissionDenied", "permissionDenied"]),
        (0o555, 0o644, ["ok", "ok", "permissionDenied"]),
        (0o777, 0o444, ["ok", "ok", "permissionDenied"]),
        (0o777, 0o000, ["permissionDenied", "permissionDenied", "permissionDenied"]),
      ] {
        let parent = directory.url.appending(path: "\(mode)-\(fileMode)")
        let url = parent.appending(path: "store")
        try file.createDirectory(at: parent, withIntermediateDirectories: false)
        do {
          let store = try EmbeddingStore(
            at: url, space: EmbeddingSpace(model: "worker", dimension: 8))
          try store.put(numberedRecords(0..<3))
        }
        for name in try file.contentsOfDirectory(atPath: url.path) {
          try file.setAttributes(
            [.posixPermissions: fileMode], ofItemAtPath: url.appending(path: name).path)
        }
        // The parents of the temporary directory are open to all.
        try file.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.url.path)
        try file.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
        let before = try DirectoryImage(parent)
        let worker = try Worker(["unprivileged", url.path])
        var answers: [String] = []
        while let line = worker.readLine() { answers.append(line) }
        #expect(
          answers == expected, "modes \(String(mode, radix: 8)), \(String(fileMode, radix: 8))")
        #expect(try DirectoryImage(parent) == before)
      }
      let worker = try Worker(["unprivileged", directory.url.appending(path: "new").path])
      #expect(worker.readLine() == "permissionDenied")
      #expect(worker.readLine() == "notFound")
    }
  #endif
}
