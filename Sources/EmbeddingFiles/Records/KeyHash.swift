/// The hash of a key's UTF-8 bytes that the key index on disk is built with.
///
/// FNV-1a with 64 bits (Fowler, Noll, Vo), then the finaliser of MurmurHash3 (Appleby), so that
/// the low bits, which choose the slot, depend on every byte.
package enum KeyHash {
  package static func hash(_ key: String) -> UInt64 {
    var state: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in key.utf8 {
      state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
    return finalise(state)
  }

  private static func finalise(_ value: UInt64) -> UInt64 {
    var value = value
    value ^= value >> 33
    value &*= 0xff51_afd7_ed55_8ccd
    value ^= value >> 33
    value &*= 0xc4ce_b9fe_1a85_ec53
    value ^= value >> 33
    return value
  }
}
