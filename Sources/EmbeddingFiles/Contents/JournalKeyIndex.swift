/// From the hash of a key to the newest journal row with that hash.
///
/// Open addressing over a power of two of slots: a slot holds the row plus 1 (0 when free) and the
/// upper half of the hash, which is spread well already. Entries go in and come out last in, first
/// out, so taking one out leaves no gap in anybody's probe sequence.
struct JournalKeyIndex {
  private struct Slot {
    var rowPlusOne: UInt32 = 0
    var fragment: UInt32 = 0
  }

  private var slots = [Slot](repeating: Slot(), count: 64)
  private var count = 0

  /// Makes `row` the newest one with `hash`; answers the one that was, for the row to link to.
  ///
  /// `hashOf` gives the hash of a row that is in the index, for when it grows.
  mutating func insert(_ hash: UInt64, row: Int, hashOf: (Int) -> UInt64) -> UInt32? {
    if count * 2 >= slots.count { grow(hashOf) }
    let slot = slot(of: hash)
    let older = slots[slot].rowPlusOne
    slots[slot] = Slot(
      rowPlusOne: UInt32(truncatingIfNeeded: row + 1), fragment: UInt32(hash >> 32))
    if older != 0 { return older - 1 }
    count += 1
    return nil
  }

  /// Undoes the last `insert`, which had `hash` and answered `older`.
  mutating func removeLast(_ hash: UInt64, older: UInt32?) {
    let slot = slot(of: hash)
    if let older {
      slots[slot].rowPlusOne = older + 1
    } else {
      slots[slot] = Slot()
      count -= 1
    }
  }

  subscript(hash: UInt64) -> UInt32? {
    let row = slots[slot(of: hash)].rowPlusOne
    return row == 0 ? nil : row - 1
  }

  /// Rows whose hashes agree in the bits that are kept share a slot; whoever follows their links
  /// compares keys anyway.
  private func slot(of hash: UInt64) -> Int {
    let fragment = UInt32(hash >> 32)
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[slot].rowPlusOne != 0, slots[slot].fragment != fragment {
      slot = (slot + 1) & (slots.count - 1)
    }
    return slot
  }

  private mutating func grow(_ hashOf: (Int) -> UInt64) {
    let old = slots.filter { $0.rowPlusOne != 0 }.sorted { $0.rowPlusOne < $1.rowPlusOne }
    slots = Array(repeating: Slot(), count: slots.count * 2)
    for entry in old {
      slots[slot(of: hashOf(Int(entry.rowPlusOne) - 1))] = entry
    }
  }
}
