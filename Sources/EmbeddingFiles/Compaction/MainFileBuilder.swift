/// Writes chosen rows of some contents as a main file.
///
/// Memory: about 1 MiB, 8 bytes a row for key hashes, 24 bytes a row for the key index, the
/// distinct labels, and what the coding takes.
struct MainFileBuilder {
  let contents: Contents
  /// The rows to write, in this order.
  let rows: [UInt32]
  /// How their codes are made; nil when they are to have none.
  let coding: RowCoding?

  /// Writes to an empty file, without syncing it.
  ///
  /// `progress` is called with the number of rows that are done; it throws to give up. Where rows
  /// get codes, a row's vector is half of it and its codes are the other half.
  func write(
    to file: any File, identifier: StoreIdentifier, generation: UInt64, maximumRowLength: Float,
    progress: (Int) throws(StorageError) -> Void = { (_) throws(StorageError) in }
  ) throws(StorageError) -> MainHeader {
    var hasParts = false
    if contents.hasParts {
      for row in rows where try contents.part(of: Int(row)) != 0 { hasParts = true }
    }
    let header = MainHeader(
      identifier: identifier, generation: generation, space: contents.space, rowCount: rows.count,
      lastSequence: contents.lastSequence, maximumRowLength: maximumRowLength, hasParts: hasParts)
    let writer = MainFileWriter(file, header: header)
    let hasCodes = coding?.byteCount(rows.count, contents.space.dimension) != nil
    try writeRows(writer) { (done) throws(StorageError) in
      try progress(hasCodes ? done / 2 : done)
    }
    // What follows is quick beside the rows, but a cancellation must not wait for all of it.
    let columns: [(MainFileWriter) throws(StorageError) -> Void] = [
      writeTimestamps, writeChangeNumbers, writeParts, writeKeys, writeLabels, writeDetails,
      writeRevisions,
    ]
    for write in columns {
      try progress(hasCodes ? rows.count / 2 : rows.count)
      try write(writer)
    }
    try writeCodes(writer) { (done) throws(StorageError) in
      try progress((rows.count + done) / 2)
    }
    return try writer.finish()
  }

  private func writeRows(
    _ writer: MainFileWriter, _ progress: (Int) throws(StorageError) -> Void
  ) throws(StorageError) {
    try writer.beginSection(.rows)
    var index = 0
    while index < rows.count {
      // A run of rows that lie one after the other goes out in one piece.
      let first = Int(rows[index])
      let contiguous = contents.contiguousRows(from: first, below: contents.rowCount)
      var end = index + 1
      while end < rows.count, end - index < Self.rowsPerStep,
        Int(rows[end]) == first + end - index, contiguous.contains(Int(rows[end]))
      {
        end += 1
      }
      try contents.withRows(first..<first + end - index) { (span) throws(StorageError) in
        try writer.append(span)
      }
      index = end
      try progress(index)
    }
    writer.endSection(itemCount: rows.count)
  }

  private static let rowsPerStep = 1_024

  private func writeTimestamps(_ writer: MainFileWriter) throws(StorageError) {
    try writeColumn(.timestamps, writer) { (row) throws(StorageError) in
      try contents.timestamp(of: row)
    }
  }

  private func writeChangeNumbers(_ writer: MainFileWriter) throws(StorageError) {
    try writeColumn(.changeNumbers, writer) { (row) throws(StorageError) in
      try contents.changeNumber(of: row)
    }
  }

  private func writeParts(_ writer: MainFileWriter) throws(StorageError) {
    try writeColumn(.parts, writer) { (row) throws(StorageError) in try contents.part(of: row) }
  }

  private func writeRevisions(_ writer: MainFileWriter) throws(StorageError) {
    var hasRevisions = false
    for row in rows where try contents.revision(of: Int(row)) != RecordDetails.noRevision {
      hasRevisions = true
      break
    }
    guard hasRevisions else { return }
    try writeColumn(.revisions, writer) { (row) throws(StorageError) in
      try contents.revision(of: row)
    }
  }

  private func writeColumn<Value: FixedWidthInteger & BitwiseCopyable>(
    _ kind: SectionKind, _ writer: MainFileWriter,
    _ value: (Int) throws(StorageError) -> Value
  ) throws(StorageError) {
    try writer.beginSection(kind)
    for row in rows {
      try writer.append(try value(Int(row)))
    }
    writer.endSection(itemCount: rows.count)
  }

  private func writeKeys(_ writer: MainFileWriter) throws(StorageError) {
    var hashes: [UInt64] = []
    hashes.reserveCapacity(rows.count)
    try writer.beginSection(.keyOffsets)
    var offset: UInt64 = 0
    try writer.append(offset)
    for row in rows {
      let key = try contents.key(of: Int(row))
      hashes.append(KeyHash.hash(key))
      offset += UInt64(key.utf8.count)
      try writer.append(offset)
    }
    writer.endSection(itemCount: rows.count + 1)
    try writer.beginSection(.keyBytes)
    for row in rows {
      try writer.append(Array(try contents.key(of: Int(row)).utf8))
    }
    writer.endSection(itemCount: Int(offset))
    try writer.beginSection(.keyIndex)
    try writer.appendKeyIndex(hashes: hashes)
    writer.endSection(itemCount: KeyIndex.slotCount(forRowCount: rows.count))
  }

  private func writeLabels(_ writer: MainFileWriter) throws(StorageError) {
    // Labels are distinct by bytes, so that reading gives back exactly what was put.
    var positions: [Key: UInt32] = [:]
    var labelCount = 0
    for row in rows {
      for label in try contents.labels(of: Int(row)) {
        positions[Key(label)] = 0
        labelCount += 1
      }
    }
    guard labelCount > 0 else { return }
    guard UInt64(labelCount) < UInt64(UInt32.max) else {
      throw StorageError(.limitExceeded, "The rows have more than 4,294,967,294 labels in all.")
    }
    let labels = positions.keys.sorted()
    var offset: UInt32 = 0
    try writer.beginSection(.labelOffsets)
    try writer.append(offset)
    for (position, label) in labels.enumerated() {
      positions[label] = UInt32(truncatingIfNeeded: position)
      let (end, overflow) = offset.addingReportingOverflow(
        UInt32(truncatingIfNeeded: label.string.utf8.count))
      guard !overflow else {
        throw StorageError(.limitExceeded, "The distinct labels take more than 4 GiB.")
      }
      offset = end
      try writer.append(offset)
    }
    writer.endSection(itemCount: labels.count + 1)
    try writer.beginSection(.labelBytes)
    for label in labels {
      try writer.append(Array(label.string.utf8))
    }
    writer.endSection(itemCount: Int(offset))
    try writeRowLabels(writer, positions, count: labelCount)
  }

  private func writeRowLabels(
    _ writer: MainFileWriter, _ positions: [Key: UInt32], count: Int
  ) throws(StorageError) {
    var offset: UInt32 = 0
    try writer.beginSection(.rowLabelOffsets)
    try writer.append(offset)
    for row in rows {
      offset += UInt32(truncatingIfNeeded: try contents.labels(of: Int(row)).count)
      try writer.append(offset)
    }
    writer.endSection(itemCount: rows.count + 1)
    try writer.beginSection(.rowLabels)
    for row in rows {
      for position in try contents.labels(of: Int(row)).compactMap({ positions[Key($0)] }).sorted()
      {
        try writer.append(position)
      }
    }
    writer.endSection(itemCount: count)
  }

  private func writeDetails(_ writer: MainFileWriter) throws(StorageError) {
    let locations = ByteWriter()
    var plan = DetailBlockPlan()
    for row in rows {
      let (metadata, text) = try contents.metadataAndText(of: Int(row))
      plan.add(metadata: metadata, text: text).encode(into: locations)
    }
    guard plan.hasDetails else { return }
    try writer.beginSection(.detailLocations)
    try writer.append(locations.bytes)
    writer.endSection(itemCount: rows.count)
    // Blocks follow their directory in the file, so they are compressed twice: once to learn
    // their sizes. That costs time at compaction instead of memory for all details.
    var offset: UInt64 = 0
    try writer.beginSection(.detailBlocks)
    var blockCount = 0
    try forEachDetailBlock { (stored, byteCount) throws(StorageError) in
      let entry = ByteWriter()
      DetailBlock(
        offset: offset, storedByteCount: stored.count, uncompressedByteCount: byteCount
      ).encode(into: entry)
      try writer.append(entry.bytes)
      offset += UInt64(stored.count)
      blockCount += 1
    }
    writer.endSection(itemCount: blockCount)
    try writer.beginSection(.detailBytes)
    try forEachDetailBlock { (stored, _) throws(StorageError) in
      try writer.append(stored)
    }
    writer.endSection(itemCount: Int(offset))
  }

  private func forEachDetailBlock(
    _ body: ([UInt8], Int) throws(StorageError) -> Void
  ) throws(StorageError) {
    var plan = DetailBlockPlan()
    var block: [UInt8] = []
    func close() throws(StorageError) {
      try body(CompressedBlock.compress(block) ?? block, block.count)
      block.removeAll(keepingCapacity: true)
    }
    for row in rows {
      let (metadata, text) = try contents.metadataAndText(of: Int(row))
      let isNewBlock = plan.add(metadata: metadata, text: text).offset == 0
      if isNewBlock, !block.isEmpty { try close() }
      block += metadata ?? []
      block += (text ?? "").utf8
    }
    if !block.isEmpty { try close() }
  }
}

/// Decides which block each row's details go to.
private struct DetailBlockPlan {
  private var block: UInt32 = 0
  private var byteCount = 0
  private(set) var hasDetails = false

  mutating func add(metadata: [UInt8]?, text: String?) -> DetailLocation {
    if metadata != nil || text != nil { hasDetails = true }
    let added = (metadata?.count ?? 0) + (text?.utf8.count ?? 0)
    if byteCount > 0, added > 0, byteCount + added > DetailBlock.targetByteCount {
      block += 1
      byteCount = 0
    }
    defer { byteCount += added }
    return DetailLocation(
      block: block, offset: UInt32(truncatingIfNeeded: byteCount), metadata: metadata, text: text)
  }
}
