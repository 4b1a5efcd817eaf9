import EmbeddingFiles
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What `FileSystem` and `File` promise, on disk and in memory.
@Suite struct FileSystemTests {
  // MARK: Opening

  @Test(arguments: TestedFileSystem.allCases)
  func aCreatedFileIsEmptyAndRegular(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      let file = try files.open("\(directory)/a", .create)
      let attributes = try file.attributes()
      #expect(file.path == "\(directory)/a")
      #expect(attributes.kind == .regular)
      #expect(attributes.byteCount == 0)
      #expect(attributes.linkCount == 1)
      #expect(try files.attributes(of: "\(directory)/a") == attributes)
      #expect(try files.list(directory) == ["a"])
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func creatingFailsWhenTheFileExists(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      try files.make("\(directory)/a", [1])
      let error = try storageError { _ = try files.open("\(directory)/a", .create) }
      #expect(error.code == .alreadyExists)
      #expect(error.systemErrorNumber == EEXIST)
      #expect(try files.contents("\(directory)/a") == [1])
    }
  }

  @Test(arguments: TestedFileSystem.allCases, [FileAccess.read, .readWrite])
  func openingFailsWhenTheFileDoesNotExist(_ tested: TestedFileSystem, access: FileAccess) throws {
    try tested.withDirectory { files, directory in
      let error = try storageError { _ = try files.open("\(directory)/a", access) }
      #expect(error.code == .notFound)
      #expect(error.path == "\(directory)/a")
      #expect(error.systemErrorNumber == ENOENT)
      #expect(try files.list(directory) == [])
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func creatingInAMissingDirectoryFails(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      let error = try storageError { _ = try files.open("\(directory)/no/a", .create) }
      #expect(error.code == .notFound)
      let below = try storageError { try files.createDirectory("\(directory)/no/b") }
      #expect(below.code == .notFound)
    }
  }

  @Test(arguments: TestedFileSystem.allCases, [FileAccess.read, .readWrite, .create])
  func aFileIsNoDirectoryToOpenThings(_ tested: TestedFileSystem, access: FileAccess) throws {
    try tested.withDirectory { files, directory in
      try files.make("\(directory)/a")
      let error = try storageError { _ = try files.open("\(directory)/a/b", access) }
      #expect(error.code == .notADirectory)
    }
  }

  @Test(arguments: TestedFileSystem.allCases, [FileAccess.read, .readWrite])
  func aDirectoryIsNoFile(_ tested: TestedFileSystem, access: FileAccess) throws {
    try tested.withDirectory { files, directory in
      let error = try storageError { _ = try files.open(directory, access) }
      #expect(error.code == .notAStore)
      #expect(error.path == directory)
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func aFileOpenedForReadingCannotBeChanged(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      try files.make("\(directory)/a", [1, 2])
      let file = try files.open("\(directory)/a", .read)
      #expect(try storageError { try file.write([9], at: 0) }.code == .readOnly)
      #expect(try storageError { try file.truncate(to: 0) }.code == .readOnly)
      #expect(try file.contents() == [1, 2])
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func aPathWithANulIsRefusedEverywhere(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      try files.make("\(directory)/a")
      let path = "\(directory)/a\0b"
      let calls: [() throws -> Void] = [
        { _ = try files.open(path, .read) }, { _ = try files.open(path, .create) },
        { _ = try files.attributes(of: path) }, { try files.createDirectory(path) },
        { _ = try files.list(path) }, { try files.rename(path, to: "\(directory)/c") },
        { try files.rename("\(directory)/a", to: path) }, { try files.unlink(path) },
        { try files.syncDirectory(path) }, { _ = try files.availableByteCount(at: path) },
      ]
      for call in calls {
        let error = try storageError(call)
        #expect(error.code == .inputOutput)
        #expect(error.message.contains("NUL"))
      }
      #expect(try files.list(directory) == ["a"])
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func anEmptyPathIsNotFound(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, _ in
      let error = try storageError { _ = try files.open("", .read) }
      #expect(error.code == .notFound)
      #expect(try files.attributes(of: "") == nil)
    }
  }

  // MARK: Names

  static let names = [
    "with space", " ", "-rf", "🏖️ album", "caf\u{e9}", "cafe\u{301}", "a\nb", "a\\b", "*?",
    String(repeating: "n", count: 255), String(repeating: "\u{e9}", count: 127),
  ]

  @Test(arguments: TestedFileSystem.allCases, names)
  func anyNameWorksAndIsListedByteForByte(_ tested: TestedFileSystem, name: String) throws {
    try tested.withDirectory { files, directory in
      let path = "\(directory)/\(name)"
      try files.make("\(path)", [1])
      #expect(try files.contents(path) == [1])
      #expect(try files.list(directory).map { Array($0.utf8) } == [Array(name.utf8)])
      try files.rename(path, to: "\(directory)/plain")
      try files.rename("\(directory)/plain", to: path)
      #expect(try files.attributes(of: path)?.byteCount == 1)
      try files.unlink(path)
      #expect(try files.list(directory).isEmpty)
    }
  }

  #if os(Linux)
    /// Apple's file systems take both for the same name.
    @Test(arguments: TestedFileSystem.allCases)
    func composedAndDecomposedLettersNameTwoFiles(_ tested: TestedFileSystem) throws {
      try tested.withDirectory { files, directory in
        try files.make("\(directory)/caf\u{e9}", [1])
        try files.make("\(directory)/cafe\u{301}", [2])
        #expect(try files.list(directory).count == 2)
        #expect(try files.contents("\(directory)/caf\u{e9}") == [1])
        #expect(try files.contents("\(directory)/cafe\u{301}") == [2])
      }
    }
  #endif

  @Test(arguments: TestedFileSystem.allCases)
  func aNameOfMoreThan255BytesIsAnError(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      let path = "\(directory)/\(String(repeating: "n", count: 256))"
      let error = try storageError { _ = try files.open(path, .create) }
      #expect(error.code == .inputOutput)
      #expect(error.systemErrorNumber == ENAMETOOLONG)
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func dotsAndSlashesLeadToTheSameFile(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      try files.createDirectory("\(directory)/d")
      try files.make("\(directory)/d/a", [1])
      let identity = try files.attributes(of: "\(directory)/d/a")?.identity
      for path in ["d//a", "./d/./a", "d/../d/a"] {
        #expect(try files.attributes(of: "\(directory)/\(path)")?.identity == identity, "\(path)")
      }
      let error = try storageError { _ = try files.attributes(of: "\(directory)/d/a/") }
      #expect(error.code == .notADirectory)
    }
  }

  // MARK: Reading and writing

  @Test(arguments: TestedFileSystem.allCases)
  func whatIsWrittenIsRead(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      let file = try files.open("\(directory)/a", .create)
      try file.write([1, 2, 3, 4], at: 0)
      try file.write([9, 9], at: 1)
      try file.write([5], at: 4)
      #expect(try file.contents() == [1, 9, 9, 4, 5])
      #expect(try file.read(at: 2, byteCount: 2) == [9, 4])
      #expect(try files.contents("\(directory)/a") == [1, 9, 9, 4, 5])
      let again = try files.open("\(directory)/a", .readWrite)
      try again.write([7], at: 0)
      #expect(try file.read(at: 0, byteCount: 1) == [7])
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func aReadIsShortOnlyAtTheEnd(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      let file = try files.open("\(directory)/a", .create)
      try file.write([1, 2, 3], at: 0)
      #expect(try file.read(at: 1, byteCount: 100) == [2, 3])
      #expect(try file.read(at: 3, byteCount: 1) == [])
      #expect(try file.read(at: 4, byteCount: 1) == [])
      #expect(try file.read(at: .max, byteCount: 1) == [])
      #expect(try file.read(at: 0, byteCount: 0) == [])
    }
  }

  /// An allocation of `Int.max` bytes would trap.
  @Test(arguments: TestedFileSystem.allCases)
  func aHugeReadTakesNoMoreThanTheFileHolds(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      let file = try files.open("\(directory)/a", .create)
      try file.write([1, 2, 3], at: 0)
      let bytes = try file.read(at: 1, byteCount: .max)
      #expect(bytes == [2, 3])
      #expect(bytes.capacity < 4096)
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func aGapReadsAsZeros(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      let file = try files.open("\(directory)/a", .create)
      try file.write([1], at: 0)
      try file.write([2], at: 5)
      #expect(try file.contents() == [1, 0, 0, 0, 0, 2])
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func whatWasCutOffReadsAsZerosAfterGrowingAgain(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      let file = try files.open("\(directory)/a", .create)
      try file.write([1, 2, 3, 4], at: 0)
      try file.truncate(to: 2)
      #expect(try file.contents() == [1, 2])
      try file.truncate(to: 4)
      #expect(try file.contents() == [1, 2, 0, 0])
      try file.truncate(to: 1)
      try file.write([7], at: 3)
      #expect(try file.contents() == [1, 0, 0, 7])
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func writingNothingChangesNothing(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      let file = try files.open("\(directory)/a", .create)
      let before = try file.attributes()
      try file.write([], at: 100)
      #expect(try file.attributes() == before)
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func aWriteBeyondAllFilesIsNoSpace(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      let file = try files.open("\(directory)/a", .create)
      for offset in [UInt64.max, UInt64.max - 2, UInt64(Int64.max) + 1, UInt64(Int64.max) - 1] {
        let error = try storageError { try file.write([1, 2, 3], at: offset) }
        #expect(error.code == .noSpace || error.systemErrorNumber == EINVAL, "\(offset)")
      }
      #expect(try storageError { try file.truncate(to: .max) }.code == .noSpace)
      #expect(try file.attributes().byteCount == 0)
    }
  }

  /// Offsets beyond 2^32 keep their upper half.
  @Test(arguments: TestedFileSystem.allCases)
  func offsetsBeyondFourGigabytesAreExact(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      let file = try files.open("\(directory)/a", .create)
      let offset: UInt64 = (1 << 32) + 3
      try file.write([5, 6], at: offset)
      #expect(try file.attributes().byteCount == offset + 2)
      #expect(try file.read(at: offset - 1, byteCount: 10) == [0, 5, 6])
      #expect(try file.read(at: 0, byteCount: 4) == [0, 0, 0, 0])
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func appendingInSmallPiecesAddsUp(_ tested: TestedFileSystem) throws {
    var generator = SeededGenerator(seed: 20)
    let bytes = generator.bytes(100_000)
    try tested.withDirectory { files, directory in
      let file = try files.open("\(directory)/a", .create)
      var written = 0
      while written < bytes.count {
        let end = min(bytes.count, written + Int.random(in: 1...900, using: &generator))
        try file.write(Array(bytes[written..<end]), at: UInt64(written))
        written = end
      }
      #expect(try file.contents() == bytes)
      #expect(try file.map(byteCount: bytes.count, mode: .mapped).array == bytes)
    }
  }

  @Test(arguments: TestedFileSystem.allCases, [SyncLevel.barrier, .full])
  func syncingSucceeds(_ tested: TestedFileSystem, level: SyncLevel) throws {
    try tested.withDirectory { files, directory in
      let file = try files.open("\(directory)/a", .create)
      try file.write([1], at: 0)
      try file.sync(level)
      try files.syncDirectory(directory)
      #expect(try file.contents() == [1])
    }
  }

  // MARK: Attributes

  @Test(arguments: TestedFileSystem.allCases)
  func nothingHasNoAttributes(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      #expect(try files.attributes(of: "\(directory)/a") == nil)
      #expect(try files.attributes(of: "\(directory)/no/a") == nil)
      #expect(try files.attributes(of: directory)?.kind == .directory)
      try files.make("\(directory)/a")
      let error = try storageError { _ = try files.attributes(of: "\(directory)/a/b") }
      #expect(error.code == .notADirectory)
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func identitiesTellFilesApartWhateverTheirName(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      try files.make("\(directory)/a")
      try files.make("\(directory)/b")
      let a = try #require(try files.attributes(of: "\(directory)/a")).identity
      let b = try #require(try files.attributes(of: "\(directory)/b")).identity
      #expect(a != b)
      try files.rename("\(directory)/a", to: "\(directory)/c")
      #expect(try files.attributes(of: "\(directory)/c")?.identity == a)
      #expect(try files.open("\(directory)/c", .read).attributes().identity == a)
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func modificationTimesAreOfThisAgeAndNeverGoBack(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      let file = try files.open("\(directory)/a", .create)
      let first = try file.attributes().modifiedNanoseconds
      #expect(first > 1_700_000_000_000_000_000)
      try file.write([1], at: 0)
      #expect(try file.attributes().modifiedNanoseconds >= first)
    }
  }

  // MARK: Directories

  @Test(arguments: TestedFileSystem.allCases)
  func creatingADirectoryTwiceSucceeds(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      try files.createDirectory("\(directory)/d")
      try files.make("\(directory)/d/a")
      try files.createDirectory("\(directory)/d")
      try files.createDirectory("\(directory)/d/")
      #expect(try files.list("\(directory)/d") == ["a"])
      #expect(try files.list(directory) == ["d"])
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func aDirectoryDoesNotReplaceAFile(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      try files.make("\(directory)/a", [1])
      let error = try storageError { try files.createDirectory("\(directory)/a") }
      #expect(error.code == .notADirectory)
      #expect(try files.contents("\(directory)/a") == [1])
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func listingNamesEverythingOnce(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      let names = (0..<300).map { "file \($0)" }
      for name in names { try files.make("\(directory)/\(name)") }
      try files.createDirectory("\(directory)/d")
      #expect(try files.list(directory).sorted() == (names + ["d"]).sorted())
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func onlyDirectoriesAreListedAndSynced(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      try files.make("\(directory)/a")
      #expect(try storageError { _ = try files.list("\(directory)/a") }.code == .notADirectory)
      #expect(try storageError { _ = try files.list("\(directory)/b") }.code == .notFound)
      #expect(
        try storageError { try files.syncDirectory("\(directory)/a") }.code == .notADirectory)
      #expect(try storageError { try files.syncDirectory("\(directory)/b") }.code == .notFound)
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func spaceIsMeasuredWhereSomethingIs(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      #expect(try files.availableByteCount(at: directory) > 1 << 20)
      let error = try storageError { _ = try files.availableByteCount(at: "\(directory)/no") }
      #expect(error.code == .notFound)
    }
  }

  // MARK: Renaming and removing

  @Test(arguments: TestedFileSystem.allCases)
  func renamingToAFreeNameReplacesNothing(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      try files.make("\(directory)/file", [1])
      try files.createDirectory("\(directory)/directory")
      try files.make("\(directory)/taken", [2])
      try files.createDirectory("\(directory)/empty")
      for source in ["file", "directory"] {
        for taken in ["taken", "empty", source] {
          let error = try storageError {
            try files.rename("\(directory)/\(source)", toFreeName: "\(directory)/\(taken)")
          }
          #expect(error.code == .alreadyExists && error.path == "\(directory)/\(taken)")
        }
        try files.rename("\(directory)/\(source)", toFreeName: "\(directory)/new \(source)")
      }
      #expect(
        try Set(files.list(directory)) == ["new file", "new directory", "taken", "empty"])
      #expect(try files.contents("\(directory)/taken") == [2])
      let missing = try storageError {
        try files.rename("\(directory)/none", toFreeName: "\(directory)/other")
      }
      #expect(missing.code == .notFound)
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func renamingReplacesTheDestination(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      try files.createDirectory("\(directory)/d")
      try files.make("\(directory)/a", [1])
      try files.make("\(directory)/d/b", [2])
      try files.rename("\(directory)/a", to: "\(directory)/d/b")
      #expect(try files.contents("\(directory)/d/b") == [1])
      #expect(try files.list(directory) == ["d"])
      #expect(try files.list("\(directory)/d") == ["b"])
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func renamingToItselfKeepsTheFile(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      try files.make("\(directory)/a", [1])
      try files.rename("\(directory)/a", to: "\(directory)/a")
      #expect(try files.contents("\(directory)/a") == [1])
      #expect(try files.attributes(of: "\(directory)/a")?.linkCount == 1)
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func renamingSaysWhatIsInTheWay(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      try files.make("\(directory)/a", [1])
      try files.createDirectory("\(directory)/d")
      try files.createDirectory("\(directory)/e")
      try files.make("\(directory)/e/x")
      func code(_ from: String, _ to: String) throws -> StorageError.Code {
        try storageError { try files.rename("\(directory)/\(from)", to: "\(directory)/\(to)") }.code
      }
      #expect(try code("no", "b") == .notFound)
      #expect(try code("a", "no/b") == .notFound)
      #expect(try code("a", "d") == .notAStore)
      #expect(try code("d", "a") == .notADirectory)
      #expect(try code("d", "e") == .inputOutput)
      #expect(try code("e", "e/sub") == .inputOutput)
      #expect(try files.list(directory).sorted() == ["a", "d", "e"])
      try files.rename("\(directory)/e", to: "\(directory)/d")
      #expect(try files.list("\(directory)/d") == ["x"])
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func removingWhatIsGoneSucceeds(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      try files.make("\(directory)/a")
      try files.unlink("\(directory)/a")
      try files.unlink("\(directory)/a")
      try files.unlink("\(directory)/no/a")
      #expect(try files.attributes(of: "\(directory)/a") == nil)
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func removingADirectoryFails(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      try files.createDirectory("\(directory)/d")
      let error = try storageError { try files.unlink("\(directory)/d") }
      // EISDIR on Linux, EPERM on Apple platforms.
      #expect(error.code == .notAStore || error.code == .permissionDenied)
      #expect(try files.list(directory) == ["d"])
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func anOpenFileOutlivesItsName(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      let file = try files.open("\(directory)/a", .create)
      try file.write([1, 2], at: 0)
      try files.unlink("\(directory)/a")
      #expect(try file.attributes().linkCount == 0)
      try file.write([3], at: 2)
      #expect(try file.contents() == [1, 2, 3])
      try files.make("\(directory)/a", [9])
      #expect(try file.contents() == [1, 2, 3])
      #expect(
        try file.attributes().identity != files.attributes(of: "\(directory)/a")?.identity)
    }
  }

  // MARK: Closing

  @Test(arguments: TestedFileSystem.allCases)
  func everyCallOnAClosedFileThrows(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      let file = try files.open("\(directory)/a", .create)
      try file.close()
      let calls: [() throws -> Void] = [
        { _ = try file.attributes() }, { _ = try file.read(at: 0, byteCount: 1) },
        { try file.write([1], at: 0) }, { try file.write([], at: 0) }, { try file.sync(.full) },
        { try file.truncate(to: 0) }, { _ = try file.map(byteCount: 0, mode: .mapped) },
        { _ = try file.tryLock() }, { try file.unlock() }, { try file.close() },
      ]
      for call in calls {
        let error = try storageError(call)
        #expect(error.code == .closed)
        #expect(error.path == "\(directory)/a")
      }
    }
  }

  /// A descriptor number is reused at once: a call that outlives `close` must not reach another
  /// file, and every call sees either its file or `.closed`.
  @Test(arguments: TestedFileSystem.allCases)
  func closingWhileOthersReadIsSafe(_ tested: TestedFileSystem) async throws {
    for round in 0..<20 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        let place = try Place(tested)
        try place.files.make("\(place.directory)/a", [UInt8](repeating: 1, count: 64))
        try place.files.make("\(place.directory)/b", [UInt8](repeating: 2, count: 64))
        let file = try place.files.open("\(place.directory)/a", .read)
        group.addTask {
          for _ in 0..<20 { _ = try place.files.open("\(place.directory)/b", .read) }
          try file.close()
          for _ in 0..<50 { _ = try place.files.open("\(place.directory)/b", .read) }
        }
        for _ in 0..<3 {
          group.addTask {
            // Bounded, so that busy readers cannot keep the closing task from a thread for ever.
            do throws(StorageError) {
              for _ in 0..<2000 {
                let bytes = try file.read(at: 0, byteCount: 64)
                #expect(bytes == [UInt8](repeating: 1, count: 64), "round \(round)")
              }
            } catch {
              #expect(error.code == .closed)
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  /// A directory to share between tasks.
  private final class Place: Sendable {
    let files: any FileSystem
    let directory: String
    private let removal: @Sendable () -> Void

    init(_ tested: TestedFileSystem) throws {
      switch tested {
      case .posix:
        let temporary = try TemporaryDirectory()
        files = POSIXFileSystem()
        directory = temporary.path
        removal = { withExtendedLifetime(temporary) {} }
      case .memory:
        files = MemoryFileSystem()
        directory = ""
        removal = {}
      }
    }
  }
}
