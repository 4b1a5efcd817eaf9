import CEmbeddingFiles
import Testing

@testable import EmbeddingFiles

/// Two directories that take each other's name.
@Suite struct FileSystemExchangeTests {
  private let directory: TemporaryDirectory
  private let files = POSIXFileSystem()

  init() throws {
    directory = try TemporaryDirectory()
    for name in ["a", "b"] {
      try files.createDirectory("\(directory.path)/\(name)")
      try files.open("\(directory.path)/\(name)/of \(name)", .create).close()
    }
  }

  private func path(_ name: String) -> String { "\(directory.path)/\(name)" }

  @Test func eachHasTheOthersNameAfterIt() throws {
    let before = try files.attributes(of: path("a"))?.identity
    try files.exchange(path("a"), with: path("b"))
    try files.syncDirectory(directory.path)
    #expect(try files.list(path("a")) == ["of b"])
    #expect(try files.list(path("b")) == ["of a"])
    #expect(try files.attributes(of: path("b"))?.identity == before)
    try files.exchange(path("a"), with: path("b"))
    #expect(try files.list(path("a")) == ["of a"])
  }

  @Test func withAMissingDirectoryNothingChanges() throws {
    for (first, second) in [("a", "missing"), ("missing", "a")] {
      let error = try storageError { try files.exchange(path(first), with: path(second)) }
      #expect(error.code == .notFound && error.systemErrorNumber != 0)
    }
    #expect(try files.list(path("a")) == ["of a"])
  }

  @Test func whereItCanNotBeDoneTheErrorSaysSo() throws {
    // What a system answers that does not know the call, or whose volume can not do it.
    for errorNumber in [EF_EINVAL, EF_ENOSYS, EF_ENOTSUP] {
      let error = StorageError(.exchange, path("a"), errorNumber: Int32(errorNumber))
      #expect(error.code == .unsupportedVolume && error.message.contains("Move the store"))
    }
    let memory = MemoryFileSystem()
    let error = try storageError { try memory.exchange("/a", with: "/b") }
    #expect(error.code == .unsupportedVolume && error.path == "/a")
  }
}
