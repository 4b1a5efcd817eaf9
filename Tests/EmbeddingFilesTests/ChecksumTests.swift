import CEmbeddingFiles
import Testing

@testable import EmbeddingFiles

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct ChecksumTests {
  static let levels: [(String, ef_crc32c_level)] = [
    ("table", EF_CRC32C_TABLE), ("hardware", EF_CRC32C_HARDWARE),
  ].filter { ef_crc32c_is_available($0.1) }

  /// Bit by bit from the polynomial: slow, and obviously right.
  static func reference(_ bytes: some Sequence<UInt8>, seed: UInt32 = 0) -> UInt32 {
    var crc = ~seed
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = (crc >> 1) ^ (crc & 1 == 1 ? 0x82f6_3b78 : 0) }
    }
    return ~crc
  }

  static func crc32c(_ bytes: some Sequence<UInt8>, seed: UInt32 = 0) -> UInt32 {
    let block = ContiguousArray(bytes)
    return Checksum.crc32c(block.span.bytes, seed: seed)
  }

  static func crc32c(_ level: ef_crc32c_level, _ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.withUnsafeBytes { ef_crc32c_at(level, 0, $0.baseAddress, $0.count) }
  }

  @Test func publishedVectorsHold() {
    #expect(Self.crc32c("123456789".utf8) == 0xe306_9283)
    // RFC 3720, B.4
    #expect(Self.crc32c([UInt8](repeating: 0, count: 32)) == 0x8a91_36aa)
    #expect(Self.crc32c([UInt8](repeating: 0xff, count: 32)) == 0x62a8_ab43)
    #expect(Self.crc32c(0..<32) == 0x46dd_794e)
    #expect(Self.crc32c((0..<32).reversed()) == 0x113f_db5c)
    #expect(Self.crc32c([]) == 0)
  }

  @Test(arguments: levels)
  func everyPathEqualsTheReferenceAtAllShortLengthsAndAlignments(
    name: String, level: ef_crc32c_level
  ) {
    var generator = SeededGenerator(seed: 1)
    let bytes = generator.bytes(320)
    for count in 0...300 {
      for start in 0..<16 {
        let slice = bytes[start..<start + count]
        #expect(
          Self.crc32c(level, slice) == Self.reference(slice), "\(name) \(start) \(count)")
      }
    }
  }

  /// Around each multiple of three lanes, where the hardware path changes its stride.
  @Test(arguments: levels)
  func everyPathEqualsTheReferenceWhereLanesBeginAndEnd(name: String, level: ef_crc32c_level) {
    var generator = SeededGenerator(seed: 2)
    let bytes = generator.bytes(40_000)
    let edges = [384, 768, 1152, 12_288, 12_288 + 384, 24_576, 36_864]
    for edge in edges {
      for count in edge - 9...edge + 9 {
        let slice = bytes[3..<3 + count]
        #expect(Self.crc32c(level, slice) == Self.reference(slice), "\(name) \(count)")
      }
    }
  }

  @Test func pathsAgreeOnRandomRuns() {
    var generator = SeededGenerator(seed: 3)
    let bytes = generator.bytes(300_000)
    for _ in 0..<200 {
      let start = Int.random(in: 0..<1000, using: &generator)
      let end = Int.random(in: start...bytes.count, using: &generator)
      let sums = Set(Self.levels.map { Self.crc32c($0.1, bytes[start..<end]) })
      #expect(sums == [Self.crc32c(bytes[start..<end])], "\(start)..<\(end)")
    }
  }

  @Test func continuingGivesTheSumOfTheWhole() {
    var generator = SeededGenerator(seed: 4)
    let bytes = generator.bytes(14_000)
    let whole = Self.crc32c(bytes)
    for _ in 0..<200 {
      let cut = Int.random(in: 0...bytes.count, using: &generator)
      let first = Self.crc32c(bytes[..<cut])
      #expect(Self.crc32c(bytes[cut...], seed: first) == whole, "cut at \(cut)")
    }
  }

  @Test func everySingleAndDoubleBitErrorChangesTheSum() {
    var generator = SeededGenerator(seed: 5)
    let bytes = generator.bytes(48)
    let bitCount = bytes.count * 8
    let sum = Self.crc32c(bytes)
    var damaged = bytes
    for first in 0..<bitCount {
      damaged[first / 8] ^= 1 << UInt8(first % 8)
      #expect(Self.crc32c(damaged) != sum)
      for second in stride(from: first + 1, to: bitCount, by: 37) {
        damaged[second / 8] ^= 1 << UInt8(second % 8)
        #expect(Self.crc32c(damaged) != sum)
        damaged[second / 8] ^= 1 << UInt8(second % 8)
      }
      damaged[first / 8] ^= 1 << UInt8(first % 8)
    }
  }

  @Test func maskingRotatesByFifteenAndAddsTheConstant() {
    #expect(Checksum.masked(0) == 0xa282_ead8)
    // Rotated right by 15 bits, 0x8000 is 1 and 1 is 0x2_0000.
    #expect(Checksum.masked(0x8000) == 0xa282_ead9)
    #expect(Checksum.masked(1) == 0xa284_ead8)
  }

  @Test func unmaskingUndoesMasking() {
    var generator = SeededGenerator(seed: 6)
    let random = (0..<1000).map { _ in UInt32(truncatingIfNeeded: generator.next()) }
    for crc in [0, 1, .max, 0x5d7d_1528] + random {
      #expect(Checksum.unmasked(Checksum.masked(crc)) == crc)
      #expect(Checksum.masked(crc) != crc)
    }
  }

  @Test func theTableIsAlwaysAvailableAndTheBestLevelIsSelected() {
    #expect(ef_crc32c_is_available(EF_CRC32C_TABLE))
    let isForced = getenv("EMBEDDING_KERNEL_LEVEL").map { String(cString: $0) } == "scalar"
    let best =
      isForced || !ef_crc32c_is_available(EF_CRC32C_HARDWARE) ? EF_CRC32C_TABLE : EF_CRC32C_HARDWARE
    #expect(ef_crc32c_selected() == best)
  }

  #if os(Linux) || os(macOS)
    @Test func theEnvironmentForcesTheTable() async {
      await #expect(processExitsWith: .success) {
        setenv("EMBEDDING_KERNEL_LEVEL", "scalar", 1)
        #expect(ef_crc32c_selected() == EF_CRC32C_TABLE)
        #expect(ChecksumTests.crc32c("123456789".utf8) == 0xe306_9283)
      }
    }
  #endif
}
