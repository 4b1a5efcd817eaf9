import Testing

@testable import EmbeddingFiles

@Suite struct ManifestAbsenceTests {
  /// Once, a main file that could not be read counted as what an interrupted creation leaves, and
  /// was replaced by an empty store.
  @Test func aMainFileThatCanNotBeReadIsNeverReplaced() throws {
    for offset in [0, 9, 41, 9_000, 16_380, 16_400] {
      let test = try TestStore()
      try test.fileSystem.createDirectory("/copy")
      try test.open().backUp(to: "/copy", on: test.fileSystem) { () throws(StorageError) in }
      try test.fileSystem.unlink("/copy/MANIFEST")
      let main = try test.fileSystem.open("/copy/main-1", .readWrite)
      try [UInt8(0x77)].withRawSpan { try main.write($0, at: UInt64(offset)) }
      let before = try main.read(at: 0, byteCount: 1 << 20)
      let code = errorCode { () throws(StorageError) in
        _ = try StoreFiles(
          test.fileSystem, path: "/copy",
          options: StoreFilesOptions(space: TestMainFile.space) { _ in 1 })
      }
      #expect(code == .corrupt)
      let after = try test.fileSystem.open("/copy/main-1", .read).read(at: 0, byteCount: 1 << 20)
      #expect(after == before)
    }
  }
}
