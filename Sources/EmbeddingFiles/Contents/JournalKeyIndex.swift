/// From the hash of a key to the newest journal row with that hash.
///
/// Open addressing with linear probing over a power of two of slots, at most half of them used.
/// Nothing is ever taken out: after a failed commit the index is built anew.
struct JournalKeyIndex {
  private struct Slot {
    var hash: UInt64 = 0
    /// The row plus 1; 0 when the slot is free.
    var rowPlusOne: UInt32 = 0
  }

  private var slots = [Slot](repeating: Slot(), count: 64)
  private var count = 0

  /// Makes `row` the newest one with `hash`; answers the one that was, for the row to link to.
  mutating func insert(_ hash: UInt64, row: Int) -> UInt32? {
    if count * 2 >= slots.count { grow() }
    let slot = slot(of: hash)
    let older = slots[slot].rowPlusOne
    slots[slot] = Slot(hash: hash, rowPlusOne: UInt32(truncatingIfNeeded: row + 1))
    if older != 0 { return older - 1 }
    count += 1
    return nil
  }

  subscript(hash: UInt64) -> UInt32? {
    let row = slots[slot(of: hash)].rowPlusOne
    return row == 0 ? nil : row - 1
  }

  private func slot(of hash: UInt64) -> Int {
    slots.withUnsafeBufferPointer { slots in
      var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
      while slots[slot].rowPlusOne != 0, slots[slot].hash != hash {
        slot = (slot + 1) & (slots.count - 1)
      }
      return slot
    }
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: Slot(), count: old.count * 2)
    for entry in old where entry.rowPlusOne != 0 {
      slots[slot(of: entry.hash)] = entry
    }
  }
}
