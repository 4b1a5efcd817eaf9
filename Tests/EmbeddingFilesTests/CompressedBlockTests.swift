import EmbeddingFiles
import EmbeddingTestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct CompressedBlockTests {
  static func decompress(_ bytes: [UInt8], to byteCount: Int) throws -> [UInt8] {
    let block = ContiguousArray(bytes)
    return try CompressedBlock.decompress(block.span.bytes, to: byteCount)
  }

  static func text(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
    let words = ["beach ", "sunset ", "album ", "IMG_", "2024-", "family ", "{\"id\":"]
    var bytes: [UInt8] = []
    while bytes.count < count {
      bytes += (words.randomElement(using: &generator) ?? "").utf8
      if bytes.count % 11 == 0 { bytes.append(UInt8.random(in: 0...255, using: &generator)) }
    }
    return Array(bytes.prefix(count))
  }

  @Test(arguments: [64, 100, 1000, 4096, 65_536, 300_000])
  func whatWasPackedComesBack(count: Int) throws {
    var generator = SeededGenerator(seed: 10)
    let bytes = Self.text(count, &generator)
    let packed = try #require(CompressedBlock.compress(bytes))
    #expect(packed.count < bytes.count)
    #expect(try Self.decompress(packed, to: bytes.count) == bytes)
  }

  @Test func oneRepeatedByteUnpacksFromItsSmallestForm() throws {
    for count in [32, 255, 256, 5000, 1 << 20] {
      let bytes = [UInt8](repeating: 7, count: count)
      let packed = try #require(CompressedBlock.compress(bytes))
      #expect(try Self.decompress(packed, to: count) == bytes)
    }
  }

  /// Written by hand from the LZ4 block format, so that both platforms must agree with it.
  @Test func aBlockFromTheFormatDescriptionUnpacks() throws {
    // 4 literals "abcd", then 12 bytes from 4 back; then 5 literals.
    let block: [UInt8] = [0x48] + Array("abcd".utf8) + [4, 0, 0x50] + Array("efghi".utf8)
    #expect(try Self.decompress(block, to: 21) == Array("abcdabcdabcdabcdefghi".utf8))
  }

  @Test func whatDoesNotShrinkIsNotPacked() {
    var generator = SeededGenerator(seed: 11)
    for count in [0, 1, 2, 12, 100, 5000] {
      #expect(CompressedBlock.compress(generator.bytes(count)) == nil)
    }
  }

  @Test func aWrongByteCountIsCorruption() throws {
    var generator = SeededGenerator(seed: 12)
    let bytes = Self.text(500, &generator)
    let packed = try #require(CompressedBlock.compress(bytes))
    for byteCount in [-1, 0, 1, 499, 501, 1000, 100_000, 0x7e00_0000, 0x7e00_0001, Int.max] {
      let error = try storageError { _ = try Self.decompress(packed, to: byteCount) }
      #expect(error.code == .corrupt, "\(byteCount)")
    }
  }

  @Test func everyTruncationIsCorruption() throws {
    var generator = SeededGenerator(seed: 13)
    let bytes = Self.text(500, &generator)
    let packed = try #require(CompressedBlock.compress(bytes))
    for count in 0..<packed.count {
      let error = try storageError {
        _ = try Self.decompress(Array(packed.prefix(count)), to: bytes.count)
      }
      #expect(error.code == .corrupt, "\(count)")
    }
  }

  #if os(Linux)
    /// A block of a few bytes must not make the reader allocate what a damaged length asks for:
    /// with this little memory that would end the process.
    @Test(.disabled(if: isSanitized, "a sanitizer needs the address space"))
    func moreThanTheBlockCouldHoldIsRefusedBeforeAllocating() async {
      await #expect(processExitsWith: .success) {
        var limit = rlimit(rlim_cur: 1 << 28, rlim_max: rlim_t.max)
        _ = withUnsafePointer(to: &limit) { setrlimit(__rlimit_resource_t(9), $0) }
        let error = try storageError {
          _ = try CompressedBlockTests.decompress([0x1f, 1, 1, 0, 255], to: 1 << 30)
        }
        // OpenBLAS's threads ask for memory when they begin, until they get it, and exit waits for them.
        limit.rlim_cur = rlim_t.max
        _ = withUnsafePointer(to: &limit) { setrlimit(__rlimit_resource_t(9), $0) }
        #expect(error.code == .corrupt)
      }
    }
  #endif

  /// 20,000 hostile blocks: the outcome is the right number of bytes or `.corrupt`, never a trap.
  @Test func damagedAndRandomBlocksNeverTrap() throws {
    let seed: UInt64 = 20_260
    print("CompressedBlockTests.damagedAndRandomBlocksNeverTrap seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    var unpackedCount = 0
    for round in 0..<20_000 {
      let bytes = Self.text(Int.random(in: 40...400, using: &generator), &generator)
      var block: [UInt8]
      var byteCount = bytes.count
      if round % 2 == 0, let packed = CompressedBlock.compress(bytes) {
        block = packed
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          let bit = Int.random(in: 0..<block.count * 8, using: &generator)
          block[bit / 8] ^= 1 << UInt8(bit % 8)
        }
      } else {
        block = generator.bytes(Int.random(in: 0...60, using: &generator))
        byteCount = Int.random(in: 0...2000, using: &generator)
      }
      do {
        #expect(try Self.decompress(block, to: byteCount).count == byteCount)
        unpackedCount += 1
      } catch let error as StorageError {
        #expect(error.code == .corrupt, "seed \(seed) round \(round)")
      }
    }
    // Flipped literals unpack; a run in which nothing does tests nothing.
    #expect(unpackedCount > 100)
  }
}
