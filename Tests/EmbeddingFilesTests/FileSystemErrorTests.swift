import CEmbeddingFiles
import Testing

@testable import EmbeddingFiles

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The retry loops and the table from `errno` to `StorageError`.
@Suite struct FileSystemErrorTests {
  @Test(
    arguments: [
      (ENOENT, .notFound), (ENOTDIR, .notADirectory), (EISDIR, .notAStore), (ENXIO, .notAStore),
      (EACCES, .permissionDenied), (EROFS, .readOnly), (ENOSPC, .noSpace), (EDQUOT, .noSpace),
      (EFBIG, .noSpace), (EIO, .inputOutput), (ENOTSUP, .inputOutput), (EBADF, .inputOutput),
    ] as [(Int32, StorageError.Code)])
  func everyErrorNumberHasItsCode(errorNumber: Int32, code: StorageError.Code) {
    for operation in [SystemCall.Operation.open, .write, .sync, .rename] {
      let error = StorageError(operation, "/a/b", errorNumber: errorNumber)
      #expect(error.code == code)
      #expect(error.path == "/a/b")
      #expect(error.systemErrorNumber == errorNumber)
    }
  }

  @Test func aLockedDeviceIsNeitherCorruptionNorAPermission() {
    for operation in [SystemCall.Operation.open, .create] {
      let error = StorageError(operation, "/a", errorNumber: EPERM)
      #expect(error.code == .protectedDataUnavailable)
    }
    #expect(StorageError(.remove, "/a", errorNumber: EPERM).code == .permissionDenied)
  }

  @Test func aFailedMappingSaysSo() {
    #expect(StorageError(.map, "/a", errorNumber: ENOMEM).code == .mappingFailed)
    #expect(StorageError(.read, "/a", errorNumber: ENOMEM).code == .inputOutput)
  }

  @Test func messagesSayWhatHappenedAndWhatToDo() {
    let full = StorageError(.write, "/stores/photos/journal-1", errorNumber: ENOSPC)
    #expect(
      full.message == """
        Could not write /stores/photos/journal-1: No space left on device. \
        Free some space, then try again; stored data stays readable.
        """)
    let missing = StorageError(.open, "/stores/photos", errorNumber: ENOENT)
    #expect(
      missing.message == """
        Could not open /stores/photos: No such file or directory. \
        Check the path, or create the store first.
        """)
    let unknown = StorageError(.sync, "/a", errorNumber: 9999)
    #expect(unknown.message.contains("9999"))
  }

  // MARK: Loops

  @Test func anInterruptedCallIsRepeated() throws {
    var answers = [-Int(EINTR), -Int(EINTR), 5]
    #expect(try SystemCall.retrying(.sync, "/a") { answers.removeFirst() } == 5)
    #expect(answers.isEmpty)
  }

  @Test func anyOtherFailureIsNotRepeated() throws {
    var callCount = 0
    let error = try storageError {
      _ = try SystemCall.retrying(.sync, "/a") { () -> Int in
        callCount += 1
        return -Int(EIO)
      }
    }
    #expect(error.code == .inputOutput)
    #expect(error.systemErrorNumber == EIO)
    #expect(callCount == 1)
  }

  @Test func aShortWriteContinuesWhereItStopped() throws {
    var calls: [[Int]] = []
    var answers: [Int64] = [3, -Int64(EINTR), 1, 6]
    try SystemCall.writeAll(10, "/a") { done, left in
      calls.append([done, left])
      return answers.removeFirst()
    }
    #expect(calls == [[0, 10], [3, 7], [3, 7], [4, 6]])
  }

  @Test(.timeLimit(.minutes(1)))
  func aWriteOfNothingIsAnErrorAndNotALoop() throws {
    var answers: [Int64] = [4, 0, 6]
    let error = try storageError {
      try SystemCall.writeAll(10, "/a") { _, _ in answers.removeFirst() }
    }
    #expect(error.code == .inputOutput)
    #expect(error.path == "/a")
    #expect(error.message.contains("took 4 of 10 bytes"))
    #expect(answers == [6])
  }

  @Test func aShortReadContinuesUntilTheFileEnds() throws {
    var calls: [[Int]] = []
    var answers: [Int64] = [3, -Int64(EINTR), 2, 0]
    let count = try SystemCall.readAll(10, "/a") { done, left in
      calls.append([done, left])
      return answers.removeFirst()
    }
    #expect(count == 5)
    #expect(calls == [[0, 10], [3, 7], [3, 7], [5, 5]])
  }
}
