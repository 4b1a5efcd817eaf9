/// The hash index from keys to rows, used where it lies in the mapped file.
///
/// Open addressing with linear probing over a power of two of slots, at most two thirds full.
/// A slot is 8 bytes: the row index plus 1 (0 when the slot is free), and the upper 32 bits of the
/// key's hash. The lower bits of the hash choose the first slot. Parts of one key have one slot
/// each.
enum KeyIndex {
  static let slotByteCount = 8

  static func slotCount(forRowCount rowCount: Int) -> Int {
    var slots = 4
    while slots * 2 < rowCount * 3 + 2 {
      slots *= 2
    }
    return slots
  }

  /// Whether a stored slot count is a power of two with at least one free slot.
  static func isPossible(slotCount: UInt64, rowCount: Int) -> Bool {
    slotCount.nonzeroBitCount == 1 && slotCount > UInt64(rowCount)
      && slotCount <= UInt64(FormatLimits.rowCount) * 4
  }

  /// Calls `body` with the slots of an index, one after the other.
  static func forEachSlot(
    hashes: [UInt64],
    _ body: (_ row: UInt32, _ fragment: UInt32) throws(StorageError) -> Void
  ) throws(StorageError) {
    let slotCount = slotCount(forRowCount: hashes.count)
    var rows = [UInt32](repeating: 0, count: slotCount)
    for (row, hash) in hashes.enumerated() {
      var slot = Int(truncatingIfNeeded: hash) & (slotCount - 1)
      while rows[slot] != 0 {
        slot = (slot + 1) & (slotCount - 1)
      }
      rows[slot] = UInt32(truncatingIfNeeded: row + 1)
    }
    for row in rows {
      try body(row, row == 0 ? 0 : UInt32(hashes[Int(row) - 1] >> 32))
    }
  }

  /// Calls `body` with every row whose key may have `hash`, until it returns false.
  ///
  /// `slots(i)` reads slot i. Ends after every slot at the latest, whatever the slots say.
  static func forEachCandidate(
    hash: UInt64, slotCount: Int, slot slots: (Int) throws(StorageError) -> (UInt32, UInt32),
    _ body: (Int) throws(StorageError) -> Bool
  ) throws(StorageError) {
    var slot = Int(truncatingIfNeeded: hash) & (slotCount - 1)
    for _ in 0..<slotCount {
      let (row, fragment) = try slots(slot)
      guard row != 0 else { return }
      if fragment == UInt32(hash >> 32), try !body(Int(clamping: row) - 1) { return }
      slot = (slot + 1) & (slotCount - 1)
    }
  }
}
