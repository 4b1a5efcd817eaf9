import EmbeddingFiles
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What mappings and locks promise, on disk and in memory.
@Suite struct FileSystemMappingTests {
  // MARK: Mapping

  @Test(arguments: TestedFileSystem.allCases, [MapMode.mapped, .heap])
  func aMapShowsThePrefixAskedFor(_ tested: TestedFileSystem, mode: MapMode) throws {
    var generator = SeededGenerator(seed: 21)
    let bytes = generator.bytes(70_000)
    try tested.withDirectory { files, directory in
      try files.make("\(directory)/a", bytes)
      let file = try files.open("\(directory)/a", .read)
      for count in [0, 1, 4095, 4096, 4097, 70_000] {
        let map = try file.map(byteCount: count, mode: mode)
        #expect(map.byteCount == count)
        #expect(map.array == Array(bytes.prefix(count)))
        if mode == .heap { #expect(map.isHeap) }
      }
    }
  }

  @Test(arguments: TestedFileSystem.allCases, [MapMode.mapped, .heap])
  func aMapBeyondTheFileIsRefused(_ tested: TestedFileSystem, mode: MapMode) throws {
    try tested.withDirectory { files, directory in
      try files.make("\(directory)/a", [1, 2, 3])
      let file = try files.open("\(directory)/a", .read)
      for count in [4, 4096, 1 << 40, Int.max] {
        let error = try storageError { _ = try file.map(byteCount: count, mode: mode) }
        #expect(error.code == .corrupt)
        #expect(error.path == "\(directory)/a")
        #expect(error.message.contains("has 3 bytes where at least \(count) are expected"))
      }
    }
  }

  @Test(arguments: TestedFileSystem.allCases, [MapMode.mapped, .heap])
  func anEmptyFileMapsToNothing(_ tested: TestedFileSystem, mode: MapMode) throws {
    try tested.withDirectory { files, directory in
      let file = try files.open("\(directory)/a", .create)
      let map = try file.map(byteCount: 0, mode: mode)
      #expect(map.byteCount == 0)
      #expect(map.array == [])
    }
  }

  @Test(arguments: TestedFileSystem.allCases, [MapMode.mapped, .heap])
  func aMapOutlivesTheFileItsNameAndItsReplacement(
    _ tested: TestedFileSystem, mode: MapMode
  ) throws {
    var generator = SeededGenerator(seed: 22)
    let bytes = generator.bytes(10_000)
    try tested.withDirectory { files, directory in
      try files.make("\(directory)/a", bytes)
      try files.make("\(directory)/b", [9])
      let file = try files.open("\(directory)/a", .read)
      let map = try file.map(byteCount: bytes.count, mode: mode)
      try file.close()
      #expect(map.array == bytes)
      try files.rename("\(directory)/b", to: "\(directory)/a")
      #expect(map.array == bytes)
      #expect(try files.contents("\(directory)/a") == [9])
      try files.unlink("\(directory)/a")
      #expect(map.array == bytes)
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func aHeapMapIsNotTouchedByLaterWritesOrTruncation(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      let file = try files.open("\(directory)/a", .create)
      try file.write([1, 2, 3], at: 0)
      let map = try file.map(byteCount: 3, mode: .heap)
      try file.write([9], at: 0)
      try file.truncate(to: 1)
      #expect(map.array == [1, 2, 3])
    }
  }

  // MARK: Locks

  @Test(arguments: TestedFileSystem.allCases)
  func oneOpenFileHoldsTheLock(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      let first = try files.open("\(directory)/LOCK", .create)
      let second = try files.open("\(directory)/LOCK", .readWrite)
      #expect(try first.tryLock())
      #expect(try !second.tryLock())
      #expect(try first.tryLock(), "taking it twice is no deadlock")
      try second.unlock()
      #expect(try !second.tryLock(), "only the holder gives it back")
      try first.unlock()
      #expect(try second.tryLock())
      #expect(try !first.tryLock())
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func closingGivesTheLockBackAndClosingAnotherDoesNot(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      let first = try files.open("\(directory)/LOCK", .create)
      let second = try files.open("\(directory)/LOCK", .readWrite)
      let third = try files.open("\(directory)/LOCK", .read)
      #expect(try first.tryLock())
      // fcntl locks would be lost here.
      try third.close()
      #expect(try !second.tryLock())
      try first.close()
      #expect(try second.tryLock())
    }
  }

  @Test(arguments: TestedFileSystem.allCases)
  func droppingTheLastReferenceGivesTheLockBack(_ tested: TestedFileSystem) throws {
    try tested.withDirectory { files, directory in
      let second = try files.open("\(directory)/LOCK", .create)
      do {
        let first = try files.open("\(directory)/LOCK", .readWrite)
        #expect(try first.tryLock())
        #expect(try !second.tryLock())
      }
      #expect(try second.tryLock())
    }
  }
}
