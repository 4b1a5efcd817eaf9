import EmbeddingFiles

/// A main file with many rows of which a few are written and the rest are holes: it takes
/// megabytes on the medium, however large it is.
///
/// Rows that are holes have vectors of zeros, and keys that no reader may ask for.
struct SparseMainFile {
  /// The rows that are written, ascending.
  let rows: [Int]
  let rowCount: Int
  let space: SpaceDescription

  private static let block = MainHeader.blockByteCount

  init(rows: [Int], rowCount: Int, dimension: Int) {
    self.rows = rows
    self.rowCount = rowCount
    space = SpaceDescription(
      model: "sparse", revision: "", dimension: dimension, isNormalized: false)
  }

  /// What a written row is called.
  static func key(of row: Int) -> String { "row \(row)" }

  /// One component is 1, another one in each written row.
  func vector(of row: Int) -> [Float] {
    var vector = [Float](repeating: 0, count: space.dimension)
    vector[(rows.firstIndex(of: row) ?? 0) % space.dimension] = 1
    return vector
  }

  /// Writes the file, and answers its header.
  func write(to file: any File, identifier: StoreIdentifier) throws -> MainHeader {
    var header = MainHeader(
      identifier: identifier, generation: 1, space: space, rowCount: rowCount,
      lastSequence: UInt64(rowCount), maximumRowLength: 1, hasParts: false)
    header.sections = sections()
    let last = header.sections[header.sections.count - 1]
    let end = last.offset + last.byteCount
    let blocks = writtenBlocks(header.sections)
    let start = UInt64(MainHeader.byteCount)
    let count = Int(end - start + UInt64(Self.block) - 1) / Self.block
    try file.truncate(to: end + 4 * UInt64(count))
    var checksums = [UInt32](
      repeating: Self.checksum([UInt8](repeating: 0, count: Self.block)), count: count)
    let lastByteCount = Int(end - start) - (count - 1) * Self.block
    checksums[count - 1] = Self.checksum([UInt8](repeating: 0, count: lastByteCount))
    for (number, bytes) in blocks {
      let bytes = number == count - 1 ? Array(bytes.prefix(lastByteCount)) : bytes
      checksums[number] = Self.checksum(bytes)
      try bytes.withRawSpan { try file.write($0, at: start + UInt64(number * Self.block)) }
    }
    let table = checksums.map(\.littleEndian).withUnsafeBytes { [UInt8]($0) }
    try table.withRawSpan { try file.write($0, at: end) }
    header.checksumsOffset = end
    header.checksumCount = count
    header.checksumsChecksum = Self.checksum(table)
    header.fileByteCount = end + UInt64(table.count)
    let encoded = header.encoded()
    try encoded.withRawSpan { try file.write($0, at: 0) }
    header.checksum = encoded.suffix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    return header
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    bytes.withRawSpan { Checksum.masked(Checksum.crc32c($0)) }
  }

  // MARK: - Where things are

  private var slotCount: Int {
    var slots = 4
    while slots <= rowCount { slots *= 2 }
    return slots
  }

  private var keys: [[UInt8]] { rows.map { Array(Self.key(of: $0).utf8) } }

  private func sections() -> [Section] {
    let keyByteCount = keys.reduce(0) { $0 + $1.count }
    let sizes: [(SectionKind, Int, Int)] = [
      (.rows, rowCount, MainHeader.stride(forDimension: space.dimension)),
      (.timestamps, rowCount, 8), (.changeNumbers, rowCount, 8), (.parts, rowCount, 2),
      (.keyOffsets, rowCount + 1, 8), (.keyBytes, keyByteCount, 1), (.keyIndex, slotCount, 8),
    ]
    var offset = UInt64(MainHeader.byteCount)
    return sizes.map { kind, count, itemByteCount in
      offset = (offset + 63) / 64 * 64
      defer { offset += UInt64(count * itemByteCount) }
      return Section(
        kind: kind.rawValue, offset: offset, byteCount: UInt64(count * itemByteCount),
        itemCount: UInt64(count))
    }
  }

  /// The blocks that hold something else than zeros, by number.
  private func writtenBlocks(_ sections: [Section]) -> [Int: [UInt8]] {
    var blocks: [Int: [UInt8]] = [:]
    func put(_ bytes: [UInt8], _ kind: SectionKind, at index: Int, size: Int) {
      let section = sections[Int(kind.rawValue) - 1]
      var offset = Int(section.offset) - MainHeader.byteCount + index * size
      for byte in bytes {
        blocks[offset / Self.block, default: [UInt8](repeating: 0, count: Self.block)][
          offset % Self.block] = byte
        offset += 1
      }
    }
    var usedSlots: Set<Int> = []
    var keyOffset = 0
    for (row, key) in zip(rows, keys) {
      let halves = vector(of: row).map { $0 == 1 ? UInt16(0x3c00) : 0 }
      put(
        halves.flatMap { bytes($0) }, .rows, at: row,
        size: MainHeader.stride(forDimension: space.dimension))
      put(bytes(Int64(row)), .timestamps, at: row, size: 8)
      put(bytes(UInt64(row) + 1), .changeNumbers, at: row, size: 8)
      put(bytes(UInt64(keyOffset)), .keyOffsets, at: row, size: 8)
      put(key, .keyBytes, at: keyOffset, size: 1)
      keyOffset += key.count
      put(bytes(UInt64(keyOffset)), .keyOffsets, at: row + 1, size: 8)
      let hash = KeyHash.hash(Self.key(of: row))
      var slot = Int(truncatingIfNeeded: hash) & (slotCount - 1)
      while !usedSlots.insert(slot).inserted { slot = (slot + 1) & (slotCount - 1) }
      put(bytes(UInt32(row + 1)) + bytes(UInt32(hash >> 32)), .keyIndex, at: slot, size: 8)
    }
    put(bytes(UInt64(keyOffset)), .keyOffsets, at: rowCount, size: 8)
    return blocks
  }

  private func bytes<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    (0..<Value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}
