import Synchronization

/// An immutable main file, mapped: rows, columns, keys, labels and details of one generation.
///
/// Opening reads the header and the checksum table; everything else is checked block by block
/// before its first use. Values found in the file are never trusted as positions in it, even when
/// checksums hold. Safe to use from any thread.
package final class MainFile: Sendable {
  package let header: MainHeader
  package let bytes: VerifiedBytes
  /// Whether a search met codes that do not hold; it and all later ones do without.
  let codesAreDamaged = Atomic(false)
  /// The sections by kind: finding one is part of every access.
  private let sections: [Section?]
  private let labelTable = Mutex<[String]?>(nil)
  let detailCache = DetailCache()

  package var path: String { bytes.path }
  package var rowCount: Int { header.rowCount }
  package var stride: Int { header.stride }

  package init(
    _ fileSystem: any FileSystem, path: String, mode: MapMode
  ) throws(StorageError) {
    let file = try fileSystem.open(path, .read)
    let attributes = try file.attributes()
    let head = try file.read(at: 0, byteCount: MainHeader.byteCount)
    header = try head.withRawSpan { (span) throws(StorageError) -> MainHeader in
      try MainHeader(span, fileByteCount: attributes.byteCount, path: path)
    }
    sections = (0...SectionKind.largest.rawValue).map { [header] kind in
      SectionKind(rawValue: kind).flatMap { header[$0] }
    }
    guard let byteCount = Int(exactly: attributes.byteCount) else {
      throw StorageError(
        .mappingFailed, path: path, "The file is larger than this device can address.")
    }
    bytes = try VerifiedBytes(
      bytes: file.map(byteCount: byteCount, mode: mode), header: header, path: path)
    try file.close()
  }

  /// Calls `body` with the rows of `range`, `stride` bytes each.
  package func withRows<Result>(
    _ range: Range<Int>, _ body: (RawSpan) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try withItems(.rows, range, itemByteCount: stride, body)
  }

  /// Calls `body` with all rows, of which those at `indexes` are checked and may be read.
  package func withRows<Result>(
    at indexes: Span<UInt32>, _ body: (RawSpan) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    for index in indexes.indices {
      let row = Int(indexes[index])
      try withItems(.rows, row..<row + 1, itemByteCount: stride) { (_) throws(StorageError) in }
    }
    guard let section = self[.rows] else { throw damage("it has no rows") }
    let start = Int(section.offset)
    return try bytes.withUncheckedBytes(start..<start + rowCount * stride, body)
  }

  package func timestamp(of row: Int) throws(StorageError) -> Int64 {
    try integer(.timestamps, at: row)
  }

  package func changeNumber(of row: Int) throws(StorageError) -> UInt64 {
    try integer(.changeNumbers, at: row)
  }

  package func part(of row: Int) throws(StorageError) -> UInt16 {
    try integer(.parts, at: row)
  }

  /// A fingerprint of the content behind a row's vector, or `RecordDetails.noRevision`.
  package func revision(of row: Int) throws(StorageError) -> UInt64 {
    guard self[.revisions] != nil else { return RecordDetails.noRevision }
    return try integer(.revisions, at: row)
  }

  package func key(of row: Int) throws(StorageError) -> String {
    try string(in: .keyBytes, at: row, offsets: .keyOffsets, as: UInt64.self)
  }

  /// Calls `body` with the timestamps of all rows, 8 bytes each.
  package func withTimestamps<Result>(
    _ body: (RawSpan) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try withItems(.timestamps, 0..<rowCount, itemByteCount: 8, body)
  }

  /// The rows that hold parts of `key`, live or not, in no particular order.
  package func rows(withKey key: String, hash: UInt64) throws(StorageError) -> [Int] {
    guard rowCount > 0, let index = self[.keyIndex] else { return [] }
    var rows: [Int] = []
    try KeyIndex.forEachCandidate(
      hash: hash, slotCount: Int(index.itemCount),
      slot: { (slot) throws(StorageError) -> (UInt32, UInt32) in
        try withItems(.keyIndex, slot..<slot + 1, itemByteCount: KeyIndex.slotByteCount) {
          (span) throws(StorageError) -> (UInt32, UInt32) in
          (try require(span.integer(at: 0)), try require(span.integer(at: 4)))
        }
      },
      { (row) throws(StorageError) -> Bool in
        guard row < rowCount else { throw damage("its key index names a row that it has not") }
        if KeyOrder.areEqual(try self.key(of: row), key) { rows.append(row) }
        return true
      })
    return rows
  }

  /// The distinct labels of all rows, read on first use and kept.
  package func labels() throws(StorageError) -> [String] {
    if let labels = labelTable.withLock({ $0 }) { return labels }
    guard let offsets = self[.labelOffsets], offsets.itemCount > 0 else { return [] }
    var labels: [String] = []
    for label in 0..<Int(offsets.itemCount) - 1 {
      labels.append(
        try string(in: .labelBytes, at: label, offsets: .labelOffsets, as: UInt32.self))
    }
    labelTable.withLock { $0 = labels }
    return labels
  }

  /// The labels of one row, as positions in `labels()`.
  package func labelPositions(of row: Int) throws(StorageError) -> [Int] {
    guard self[.rowLabels] != nil else { return [] }
    let range = try span(
      at: row, offsets: .rowLabelOffsets, in: .rowLabels, as: UInt32.self, size: 4)
    return try withItems(.rowLabels, range, itemByteCount: 4) {
      (span) throws(StorageError) -> [Int] in
      var positions: [Int] = []
      for index in 0..<range.count {
        positions.append(try position(span.integer(at: 4 * index)))
      }
      return positions
    }
  }

  /// Adds to `bitmap` every row one of whose labels is flagged in `isWanted`, which has a flag
  /// for each of `labels()`. Reads the labels of all rows.
  package func insertRows(
    labelled isWanted: [Bool], into bitmap: inout RowBitmap
  ) throws(StorageError) {
    guard let rowLabels = self[.rowLabels], self[.rowLabelOffsets] != nil else { return }
    let count = Int(rowLabels.itemCount)
    try withItems(.rowLabelOffsets, 0..<rowCount + 1, itemByteCount: 4) {
      (offsets) throws(StorageError) in
      try withItems(.rowLabels, 0..<count, itemByteCount: 4) { (positions) throws(StorageError) in
        var start = try position(offsets.integer(at: 0))
        for row in 0..<rowCount {
          let end = try position(offsets.integer(at: 4 * row + 4))
          guard start <= end, end <= count else { throw damage("its labels are out of order") }
          for index in start..<end {
            let position = try position(positions.integer(at: 4 * index))
            guard position < isWanted.count else { throw damage("a row has an unknown label") }
            if isWanted[position] {
              bitmap.insert(row)
              break
            }
          }
          start = end
        }
      }
    }
  }

  /// All of one row beside its vector.
  package func details(of row: Int) throws(StorageError) -> RecordDetails {
    let labels = try labels()
    var names: [String] = []
    for position in try labelPositions(of: row) {
      guard position < labels.count else { throw damage("a row has an unknown label") }
      names.append(labels[position])
    }
    let (metadata, text) = try metadataAndText(of: row)
    return RecordDetails(
      key: try key(of: row), part: try part(of: row), timestamp: try timestamp(of: row),
      labels: names, metadata: metadata, text: text, revision: try revision(of: row))
  }
}

// MARK: - Checked access

extension MainFile {
  /// Where a kind of section lies.
  subscript(kind: SectionKind) -> Section? {
    sections[Int(kind.rawValue)]
  }

  /// Calls `body` with items of a section whose size the header was checked for.
  @inline(__always)
  func withItems<Result>(
    _ kind: SectionKind, _ range: Range<Int>, itemByteCount: Int,
    _ body: (RawSpan) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    guard let section = self[kind], range.lowerBound >= 0,
      UInt64(range.upperBound) <= section.itemCount
    else { throw damage("it refers to an item that section \(kind) does not have") }
    let start = Int(section.offset) + range.lowerBound * itemByteCount
    return try bytes.withBytes(start..<start + range.count * itemByteCount, body)
  }

  func integer<Value: FixedWidthInteger & BitwiseCopyable>(
    _ kind: SectionKind, at row: Int
  ) throws(StorageError) -> Value {
    try withItems(kind, row..<row + 1, itemByteCount: MemoryLayout<Value>.size) {
      (span) throws(StorageError) -> Value in try require(span.integer(at: 0))
    }
  }

  /// The items of `kind` that belong to `row` by a table of offsets, checked to lie within it.
  @inline(__always)
  func span<Value: FixedWidthInteger & BitwiseCopyable>(
    at row: Int, offsets: SectionKind, in kind: SectionKind, as: Value.Type, size: Int
  ) throws(StorageError) -> Range<Int> {
    let width = MemoryLayout<Value>.size
    let (start, end) = try withItems(offsets, row..<row + 2, itemByteCount: width) {
      (span) throws(StorageError) -> (Value, Value) in
      (try require(span.integer(at: 0)), try require(span.integer(at: width)))
    }
    guard start <= end, let section = self[kind], end <= section.byteCount / UInt64(size) else {
      throw damage("an offset in section \(offsets) lies outside section \(kind)")
    }
    return Int(start)..<Int(end)
  }

  func string<Value: FixedWidthInteger & BitwiseCopyable>(
    in kind: SectionKind, at row: Int, offsets: SectionKind, as type: Value.Type
  ) throws(StorageError) -> String {
    let range = try span(at: row, offsets: offsets, in: kind, as: type, size: 1)
    return try withItems(kind, range, itemByteCount: 1) { (span) throws(StorageError) -> String in
      guard let string = span.string(at: 0, count: range.count) else {
        throw damage("section \(kind) holds bytes that are not UTF-8")
      }
      return string
    }
  }

  func require<Value>(_ value: Value?) throws(StorageError) -> Value {
    guard let value else { throw damage("a value lies outside its section") }
    return value
  }

  /// A stored 32-bit position, or damage where it is missing or too large for this device.
  func position(_ value: UInt32?) throws(StorageError) -> Int {
    try require(value.flatMap(Int.init(exactly:)))
  }

  func damage(_ reason: String) -> StorageError {
    MainHeader.damage(path, reason)
  }
}
