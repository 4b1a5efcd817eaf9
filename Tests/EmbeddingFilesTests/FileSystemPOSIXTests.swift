import CEmbeddingFiles
import EmbeddingTestSupport
import Testing

@testable import EmbeddingFiles

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What only a real disk and real descriptors can show.
@Suite struct FileSystemPOSIXTests {
  let files = POSIXFileSystem()
  let temporary: TemporaryDirectory

  var directory: String { temporary.path }

  init() throws { temporary = try TemporaryDirectory() }

  // MARK: Things that are no files

  /// Opening a FIFO for reading waits for a writer unless asked not to.
  @Test(.timeLimit(.minutes(1)), arguments: [FileAccess.read, .readWrite])
  func aPipeIsRefusedWithoutWaiting(access: FileAccess) throws {
    let path = "\(directory)/pipe"
    try #require(mkfifo(path, 0o600) == 0)
    #expect(try files.attributes(of: path)?.kind == .other)
    let error = try storageError { _ = try files.open(path, access) }
    #expect(error.code == .notAStore)
    #expect(error.message.contains("where a file is expected"))
  }

  @Test(arguments: ["/dev/null", "/dev/zero", "/dev/full"])
  func aDeviceIsRefused(path: String) throws {
    guard try files.attributes(of: path) != nil else { return }
    let error = try storageError { _ = try files.open(path, .readWrite) }
    #expect(error.code == .notAStore)
  }

  @Test func aRefusedFileLeavesNoDescriptorOpen() throws {
    let before = Self.openDescriptorCount()
    for _ in 0..<5 { _ = try? files.open(directory, .read) }
    for _ in 0..<5 { _ = try? files.list(directory) }
    for _ in 0..<5 { try files.syncDirectory(directory) }
    // Other tests open files meanwhile; fifteen lost ones would stand out.
    #expect(Self.openDescriptorCount() < before + 15 || Self.openDescriptorCount() < 64)
  }

  private static func openDescriptorCount() -> Int {
    (0..<1024).count { fcntl($0, F_GETFD) != -1 }
  }

  // MARK: Links

  @Test func aSymbolicLinkToTheDirectoryLeadsToTheSameFiles() throws {
    try files.createDirectory("\(directory)/real")
    try files.make("\(directory)/real/a", [1])
    try #require(symlink("\(directory)/real", "\(directory)/link") == 0)
    let real = try files.attributes(of: "\(directory)/real")
    #expect(try files.attributes(of: "\(directory)/link") == real)
    #expect(
      try files.attributes(of: "\(directory)/link/a")?.identity
        == files.attributes(of: "\(directory)/real/a")?.identity)
    try files.createDirectory("\(directory)/link")
    try files.syncDirectory("\(directory)/link")
    let first = try files.open("\(directory)/real/a", .readWrite)
    let second = try files.open("\(directory)/link/a", .readWrite)
    #expect(try first.tryLock())
    #expect(try !second.tryLock())
  }

  @Test func aHardLinkCountsAndSharesTheIdentity() throws {
    try files.make("\(directory)/a", [1])
    try #require(link("\(directory)/a", "\(directory)/b") == 0)
    let first = try #require(try files.attributes(of: "\(directory)/a"))
    #expect(first.linkCount == 2)
    #expect(try files.attributes(of: "\(directory)/b")?.identity == first.identity)
  }

  @Test func aDanglingLinkIsNothing() throws {
    try #require(symlink("\(directory)/no", "\(directory)/link") == 0)
    #expect(try files.attributes(of: "\(directory)/link") == nil)
    #expect(try storageError { _ = try files.open("\(directory)/link", .read) }.code == .notFound)
  }

  @Test func aLoopOfLinksIsAnError() throws {
    try #require(symlink("\(directory)/loop", "\(directory)/loop") == 0)
    let error = try storageError { _ = try files.open("\(directory)/loop", .read) }
    #expect(error.code == .inputOutput)
    #expect(error.systemErrorNumber == ELOOP)
  }

  // MARK: Permissions

  @Test(.disabled(if: geteuid() == 0, "root may open everything"))
  func noPermissionIsTyped() throws {
    try files.make("\(directory)/a", [1])
    try #require(chmod("\(directory)/a", 0) == 0)
    #expect(
      try storageError { _ = try files.open("\(directory)/a", .read) }.code == .permissionDenied)
  }

  #if os(Linux)
    @Test(.enabled(if: geteuid() == 0, "only root can become somebody else"))
    func noPermissionIsTypedForAnotherUser() async {
      await #expect(processExitsWith: .success) {
        let temporary = try TemporaryDirectory()
        let files = POSIXFileSystem()
        let directory = temporary.path
        try files.make("\(directory)/a", [1])
        try #require(chmod("\(directory)/a", 0) == 0)
        try #require(chmod(directory, 0o555) == 0)
        try #require(seteuid(65_534) == 0)
        func code(_ call: () throws -> Void) throws -> StorageError.Code {
          try storageError(call).code
        }
        #expect(try code { _ = try files.open("\(directory)/a", .read) } == .permissionDenied)
        #expect(try code { _ = try files.open("\(directory)/b", .create) } == .permissionDenied)
        #expect(try code { try files.createDirectory("\(directory)/d") } == .permissionDenied)
        #expect(try code { try files.unlink("\(directory)/a") } == .permissionDenied)
        _ = seteuid(0)
      }
    }
  #endif

  // MARK: Descriptors

  @Test func descriptorsCloseOnExecAndLieAboveTheStandardOnes() throws {
    try files.make("\(directory)/a")
    for access in [FileAccess.read, .readWrite] {
      let file = try #require(try files.open("\(directory)/a", access) as? POSIXFile)
      try file.withDescriptor { descriptor in
        #expect(descriptor > 2)
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
      }
    }
    let created = try #require(try files.open("\(directory)/b", .create) as? POSIXFile)
    try created.withDescriptor { #expect(fcntl($0, F_GETFD) & FD_CLOEXEC != 0) }
  }

  /// The number would be free for another file while the call still uses it.
  @Test func theDescriptorStaysOpenForACallInProgress() throws {
    let file = try #require(try files.open("\(directory)/a", .create) as? POSIXFile)
    try file.withDescriptor { descriptor throws(StorageError) in
      try file.close()
      var attributes = ef_attributes()
      #expect(ef_descriptor_attributes(descriptor, &attributes) == 0)
      #expect(
        FileAttributes(attributes).identity == (try files.attributes(of: file.path))?.identity)
    }
    #expect(try storageError { _ = try file.attributes() }.code == .closed)
  }

  #if os(Linux)
    /// The kernel's process files can be opened and refuse every sync.
    @Test func aFailedSyncIsAnError() throws {
      let directorySync = try storageError { try files.syncDirectory("/proc/self") }
      #expect(directorySync.code == .inputOutput)
      let file = try files.open("/proc/self/status", .read)
      for level in [SyncLevel.barrier, .full] {
        #expect(try storageError { try file.sync(level) }.code == .inputOutput)
      }
    }
  #endif

  #if os(Linux) || os(macOS)
    /// Whatever a library prints to standard output must not land in a store.
    @Test func closedStandardDescriptorsAreNotReused() async {
      await #expect(processExitsWith: .success) {
        let temporary = try TemporaryDirectory()
        let files = POSIXFileSystem()
        let saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10)
        close(STDIN_FILENO)
        close(STDERR_FILENO)
        let file = try files.open("\(temporary.path)/a", .create)
        let number = try (file as? POSIXFile)?.withDescriptor { $0 }
        let names = try files.list(temporary.path)
        try files.syncDirectory(temporary.path)
        // The test runner's own threads may have taken descriptor 0 by now, but not for our file.
        var standardInput = ef_attributes()
        let status = ef_descriptor_attributes(STDIN_FILENO, &standardInput)
        let ours = try file.attributes()
        let isOurs = status == 0 && FileAttributes(standardInput) == ours
        dup2(saved, STDERR_FILENO)
        #expect(try #require(number) > 2)
        #expect(names == ["a"])
        #expect(!isOurs)
        #expect(fcntl(try #require(number), F_GETFD) & FD_CLOEXEC != 0)
        try file.write([1], at: 0)
        #expect(try file.contents() == [1])
      }
    }

    /// RLIMIT_FSIZE lets a first part through and fails the rest, as a full disk does.
    @Test func aFullDiskIsNoSpaceAndKeepsWhatWasThere() async {
      await #expect(processExitsWith: .success) {
        let temporary = try TemporaryDirectory()
        let files = POSIXFileSystem()
        let file = try files.open("\(temporary.path)/a", .create)
        try file.write([1, 2, 3], at: 0)
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: 1000, rlim_max: rlim_t.max)
        #if os(Linux)
          _ = withUnsafePointer(to: &limit) { setrlimit(__rlimit_resource_t(1), $0) }
        #else
          setrlimit(RLIMIT_FSIZE, &limit)
        #endif
        let error = try storageError {
          try file.write([UInt8](repeating: 9, count: 5000), at: 3)
        }
        #expect(error.code == .noSpace)
        #expect(error.systemErrorNumber == EFBIG)
        #expect(try file.read(at: 0, byteCount: 3) == [1, 2, 3])
        try file.truncate(to: 3)
        #expect(try file.contents() == [1, 2, 3])
      }
    }
  #endif

  // MARK: Mapping

  @Test func mappingUsesThePageCache() throws {
    try files.make("\(directory)/a", [1, 2, 3])
    let map = try files.open("\(directory)/a", .read).map(byteCount: 3, mode: .mapped)
    #expect(!map.isHeap)
  }

  #if os(Linux)
    /// The kernel allows 65,530 mappings per process unless told otherwise.
    @Test(.disabled(if: isSanitized, "a sanitizer needs the address space"))
    func withoutAddressSpaceTheMapIsACopy() async {
      await #expect(processExitsWith: .success) {
        let temporary = try TemporaryDirectory()
        let files = POSIXFileSystem()
        try files.make("\(temporary.path)/a", [1, 2, 3])
        let file = try files.open("\(temporary.path)/a", .read)
        var maps: [MappedBytes] = []
        maps.reserveCapacity(200_000)
        while maps.count < 200_000 {
          let map = try file.map(byteCount: 3, mode: .mapped)
          maps.append(map)
          if map.isHeap { break }
        }
        let last = try #require(maps.last)
        #expect(last.isHeap || maps.count == 200_000, "\(maps.count) mappings")
        #expect(last.array == [1, 2, 3])
        maps.removeAll()
      }
    }

    @Test(.disabled(if: isSanitized, "a sanitizer needs the address space"))
    func withoutMemoryTheMapFailsTyped() async {
      await #expect(processExitsWith: .success) {
        let temporary = try TemporaryDirectory()
        let file = try POSIXFileSystem().open("\(temporary.path)/a", .create)
        try file.truncate(to: 1 << 42)
        for mode in [MapMode.heap, .mapped] {
          var limit = rlimit(rlim_cur: 1 << 40, rlim_max: rlim_t.max)
          _ = withUnsafePointer(to: &limit) { setrlimit(__rlimit_resource_t(9), $0) }
          let error = try storageError { _ = try file.map(byteCount: 1 << 42, mode: mode) }
          #expect(error.code == .mappingFailed)
          #expect(error.systemErrorNumber == ENOMEM)
        }
      }
    }
  #endif
}
