import CEmbeddingFiles

/// CRC32C, the checksum of every file.
///
/// It detects each error of up to three bits in 268 MB, and each burst of up to 32 bits. It is no
/// defence against somebody who wants a file to be mistaken.
package enum Checksum {
  /// The CRC32C of `bytes`, or of everything so far when `seed` is the CRC of what came before.
  ///
  /// `crc32c` of "123456789" is 0xE306_9283.
  ///
  /// - Complexity: one pass, at memory speed where the CPU has a CRC32C instruction.
  package static func crc32c(_ bytes: RawSpan, seed: UInt32 = 0) -> UInt32 {
    bytes.withUnsafeBytes { ef_crc32c(seed, $0.baseAddress, $0.count) }
  }

  /// The form in which a CRC is stored next to the bytes it covers.
  ///
  /// The CRC of bytes followed by their own CRC is a constant, so checked bytes that embed plain
  /// CRCs would weaken an outer one.
  package static func masked(_ crc: UInt32) -> UInt32 {
    ((crc >> 15) | (crc << 17)) &+ maskDelta
  }

  /// The CRC that `masked` turned into `stored`.
  package static func unmasked(_ stored: UInt32) -> UInt32 {
    let rotated = stored &- maskDelta
    return (rotated << 15) | (rotated >> 17)
  }

  private static let maskDelta: UInt32 = 0xa282_ead8
}
