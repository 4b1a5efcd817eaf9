import Testing

@testable import EmbeddingFiles

/// What only the file system in memory promises.
@Suite struct FileSystemMemoryTests {
  let files = MemoryFileSystem()

  static func address(_ map: MappedBytes) -> UnsafeRawPointer? {
    map.withBytes { $0.withUnsafeBytes { $0.baseAddress } }
  }

  @Test func everyWriteChangesTheModificationStamp() throws {
    let file = try files.open("a", .create)
    var stamps: Set<Int64> = [try file.attributes().modifiedNanoseconds]
    for round in 1...100 {
      try file.write([1], at: 0)
      #expect(stamps.insert(try file.attributes().modifiedNanoseconds).inserted, "\(round)")
    }
    try file.truncate(to: 0)
    #expect(stamps.insert(try file.attributes().modifiedNanoseconds).inserted)
    let before = try files.attributes(of: "/")?.modifiedNanoseconds
    try files.make("b")
    #expect(try files.attributes(of: "/")?.modifiedNanoseconds != before)
  }

  @Test func twoFileSystemsShareNothing() throws {
    let other = MemoryFileSystem()
    try files.make("a", [1])
    try other.make("a", [2])
    #expect(try files.contents("/a") == [1])
    #expect(
      try files.attributes(of: "a")?.identity != other.attributes(of: "a")?.identity)
  }

  @Test func mappingAFileCopiesNothing() throws {
    let file = try files.open("a", .create)
    try file.write([UInt8](repeating: 5, count: 1 << 20), at: 0)
    let first = try file.map(byteCount: 1 << 20, mode: .mapped)
    let second = try file.map(byteCount: 10, mode: .mapped)
    #expect(Self.address(first) == Self.address(second))
    let copy = try file.map(byteCount: 10, mode: .heap)
    #expect(Self.address(copy) != Self.address(first))
  }

  /// Room is left after the first growth, so a journal that is mapped stays where it is.
  @Test func appendingBehindAMappingDoesNotMoveTheFile() throws {
    let file = try files.open("a", .create)
    try file.write([UInt8](repeating: 5, count: 1000), at: 0)
    try file.write([6], at: 1000)
    let before = try file.map(byteCount: 1001, mode: .mapped)
    for offset in 1001..<1900 { try file.write([7], at: UInt64(offset)) }
    let after = try file.map(byteCount: 1900, mode: .mapped)
    #expect(Self.address(before) == Self.address(after))
    #expect(before.array == [UInt8](repeating: 5, count: 1000) + [6])
  }

  @Test func mappedBytesNeverChange() throws {
    let file = try files.open("a", .create)
    try file.write([1, 2, 3, 4], at: 0)
    let map = try file.map(byteCount: 4, mode: .mapped)
    try file.write([9], at: 1)
    #expect(map.array == [1, 2, 3, 4])
    #expect(try file.contents() == [1, 9, 3, 4])
    let second = try file.map(byteCount: 4, mode: .mapped)
    try file.truncate(to: 1)
    // Behind the mapping, but the gap before it is zeroed inside.
    try file.write([8], at: 5)
    #expect(second.array == [1, 9, 3, 4])
    #expect(try file.contents() == [1, 0, 0, 0, 0, 8])
  }

  @Test func aReleasedMappingCostsNoCopy() throws {
    let file = try files.open("a", .create)
    try file.write([1, 2, 3, 4], at: 0)
    let address = Self.address(try file.map(byteCount: 4, mode: .mapped))
    try file.write([9], at: 1)
    #expect(Self.address(try file.map(byteCount: 4, mode: .mapped)) == address)
  }

  /// Growing by a constant instead of a factor would take minutes here.
  @Test(.timeLimit(.minutes(1)))
  func appendingCostsTheSameHoweverLongTheFileIs() throws {
    let file = try files.open("a", .create)
    let entry = [UInt8](repeating: 3, count: 800)
    var maps: [MappedBytes] = []
    for index in 0..<50_000 {
      try file.write(entry, at: UInt64(index * 800))
      if index % 10_000 == 9_999 {
        maps.append(try file.map(byteCount: (index + 1) * 800, mode: .mapped))
      }
    }
    #expect(try file.attributes().byteCount == 40_000_000)
    #expect(maps.count == 5)
    // Capacity doubles: five mappings at 8 MB steps lie in at most three blocks.
    #expect(Set(maps.map { Self.address($0) }).count <= 3)
  }

  @Test func bytesStartOnACacheLine() throws {
    for count in [1, 1000, 300_000] {
      let file = try files.open("file \(count)", .create)
      try file.write([UInt8](repeating: 1, count: count), at: 0)
      for mode in [MapMode.mapped, .heap] {
        let address = try #require(Self.address(file.map(byteCount: count, mode: mode)))
        #expect(UInt(bitPattern: address) % 64 == 0)
      }
    }
  }

  /// Readers look at a mapped prefix while the writer appends behind it.
  @Test func aMappingIsReadWhileTheFileGrows() async throws {
    let file = try files.open("a", .create)
    try file.write([UInt8](repeating: 4, count: 10_000), at: 0)
    let map = try file.map(byteCount: 10_000, mode: .mapped)
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<2 {
        group.addTask { (0..<20).allSatisfy { _ in map.array.allSatisfy { $0 == 4 } } }
      }
      group.addTask {
        (0..<2000).allSatisfy { round in
          (try? file.write([1, 2, 3], at: 10_000 + UInt64(round) * 3)) != nil
        }
      }
      for await isGood in group { #expect(isGood) }
    }
  }
}
