extension MainHeader {
  /// Decodes and checks the first bytes of the main file at `path`, which holds `fileByteCount`
  /// bytes: everything that the header says about itself and about the sections must agree.
  package init(
    _ bytes: RawSpan, fileByteCount: UInt64, path: String
  ) throws(StorageError) {
    guard bytes.byteCount >= Self.byteCount, bytes.integer(at: 0, as: UInt64.self) == Self.magic,
      let version = bytes.integer(at: 8, as: UInt32.self),
      let features = FeatureBits(bytes, at: 40)
    else {
      throw Self.damage(path, "it is too short or does not begin as a main file does")
    }
    try features.checkReadable(version: version, path: path)
    let body = bytes.extracting(0..<Self.byteCount - 4)
    guard let checksum = bytes.integer(at: Self.byteCount - 4, as: UInt32.self),
      checksum == Checksum.masked(Checksum.crc32c(body))
    else { throw Self.damage(path, "its header's checksum does not hold") }
    guard let header = MainHeader(checkedBytes: bytes, features: features) else {
      throw Self.damage(path, "its header holds a value that no main file has")
    }
    self = header
    self.checksum = checksum
    guard fileByteCount == self.fileByteCount else {
      throw Self.damage(
        path, "it has \(fileByteCount) bytes instead of \(self.fileByteCount)")
    }
    try checkLayout(path)
  }

  private init?(checkedBytes bytes: RawSpan, features: FeatureBits) {
    guard bytes.integer(at: 12, as: UInt32.self) == UInt32(Self.byteCount),
      let identifier = StoreIdentifier(bytes, at: 16),
      let generation = bytes.integer(at: 32, as: UInt64.self),
      let sectionCount = bytes.integer(at: 52, as: UInt32.self),
      sectionCount <= Self.maximumSectionCount,
      let fileByteCount = bytes.integer(at: 56, as: UInt64.self),
      let rowCount = bytes.integer(at: 64, as: UInt64.self).flatMap(Int.init(exactly:)),
      rowCount <= FormatLimits.rowCount,
      let dimension = bytes.integer(at: 72, as: UInt32.self).flatMap(Int.init(exactly:)),
      FormatLimits.dimension.contains(dimension),
      bytes.integer(at: 76, as: UInt32.self) == UInt32(Self.stride(forDimension: dimension)),
      bytes.integer(at: 80, as: UInt8.self) == 1,
      let normalisation = bytes.integer(at: 81, as: UInt8.self), normalisation <= 1,
      bytes.integer(at: 82, as: UInt16.self) == 1,
      bytes.integer(at: 84, as: UInt32.self) == UInt32(Self.blockByteCount),
      let lastSequence = bytes.integer(at: 88, as: UInt64.self),
      lastSequence < FormatLimits.sequence.upperBound,
      let lengthBits = bytes.integer(at: 96, as: UInt32.self),
      let flags = bytes.integer(at: 100, as: UInt32.self), flags <= 1,
      let checksumsOffset = bytes.integer(at: 104, as: UInt64.self),
      let checksumCount = bytes.integer(at: 112, as: UInt32.self).flatMap(Int.init(exactly:)),
      let checksumsChecksum = bytes.integer(at: 116, as: UInt32.self),
      let modelByteCount = bytes.length(at: 120, as: UInt16.self),
      FormatLimits.modelByteCount.contains(modelByteCount),
      let revisionByteCount = bytes.length(at: 122, as: UInt16.self),
      FormatLimits.revisionByteCount.contains(revisionByteCount),
      let model = bytes.string(at: 128, count: modelByteCount),
      let revision = bytes.string(at: 1_152, count: revisionByteCount)
    else { return nil }
    let maximumRowLength = Float(bitPattern: lengthBits)
    guard maximumRowLength.isFinite, maximumRowLength >= 0 else { return nil }
    self.init(
      identifier: identifier, generation: generation,
      space: SpaceDescription(
        model: model, revision: revision, dimension: dimension, isNormalized: normalisation == 1),
      rowCount: rowCount, lastSequence: lastSequence, maximumRowLength: maximumRowLength,
      hasParts: flags == 1)
    self.features = features
    self.fileByteCount = fileByteCount
    self.checksumsOffset = checksumsOffset
    self.checksumCount = checksumCount
    self.checksumsChecksum = checksumsChecksum
    for index in 0..<Int(sectionCount) {
      guard
        let section = Section(
          bytes, at: Self.sectionsOffset + index * Section.encodedByteCount)
      else { return nil }
      sections.append(section)
    }
  }

  /// Checks that sections lie in order between header and checksum table, that the table covers
  /// them, and that every known section has the size its number of items asks for.
  private func checkLayout(_ path: String) throws(StorageError) {
    var end = UInt64(Self.byteCount)
    for section in sections {
      guard section.offset >= end, section.offset % 64 == 0,
        section.offset <= checksumsOffset, section.byteCount <= checksumsOffset - section.offset
      else { throw Self.damage(path, "section \(section.kind) lies outside of it") }
      end = section.offset + section.byteCount
      if SectionKind(rawValue: section.kind) == nil,
        section.flags & Section.isRequired != 0
      {
        throw StorageError(
          .unsupportedFormat, path: path,
          "The file has a section of kind \(section.kind) that this library does not know and "
            + "may not skip. Update the library.")
      }
    }
    let block = UInt64(Self.blockByteCount)
    guard checksumsOffset >= end, checksumsOffset - UInt64(Self.byteCount) <= fileByteCount,
      (checksumsOffset - UInt64(Self.byteCount) + block - 1) / block == UInt64(checksumCount),
      checksumsOffset <= fileByteCount,
      fileByteCount - checksumsOffset == UInt64(checksumCount) * 4
    else { throw Self.damage(path, "its checksum table does not cover it") }
    guard Set(sections.map(\.kind)).count == sections.count, hasExpectedSizes else {
      throw Self.damage(path, "its sections contradict its number of rows")
    }
  }

  private var hasExpectedSizes: Bool {
    let rows = UInt64(rowCount)
    let rowSizes: [(SectionKind, UInt64, UInt64)] = [
      (.rows, rows, UInt64(stride)), (.timestamps, rows, 8), (.changeNumbers, rows, 8),
      (.parts, rows, 2), (.keyOffsets, rows + 1, 8), (.rowLabelOffsets, rows + 1, 4),
      (.detailLocations, rows, 16), (.revisions, rows, 8),
    ]
    for (kind, itemCount, itemByteCount) in rowSizes {
      guard let section = self[kind] else { continue }
      let (byteCount, overflow) = itemCount.multipliedReportingOverflow(by: itemByteCount)
      guard !overflow, section.itemCount == itemCount, section.byteCount == byteCount else {
        return false
      }
    }
    let itemSizes: [(SectionKind, UInt64)] = [
      (.keyIndex, 8), (.labelOffsets, 4), (.rowLabels, 4), (.detailBlocks, 16), (.keyBytes, 1),
      (.labelBytes, 1), (.detailBytes, 1), (.codeBasis, 1), (.codes, 1),
    ]
    for (kind, itemByteCount) in itemSizes {
      guard let section = self[kind] else { continue }
      let (byteCount, overflow) = section.itemCount.multipliedReportingOverflow(
        by: itemByteCount)
      guard !overflow, section.byteCount == byteCount else { return false }
    }
    let always: [SectionKind] = [
      .rows, .timestamps, .changeNumbers, .parts, .keyOffsets, .keyBytes, .keyIndex,
    ]
    let together: [[SectionKind]] = [
      [.labelOffsets, .labelBytes, .rowLabelOffsets, .rowLabels],
      [.detailLocations, .detailBlocks, .detailBytes],
      [.codeBasis, .codes],
    ]
    guard let index = self[.keyIndex], let first = self[.rows] else { return false }
    return always.allSatisfy { self[$0] != nil }
      && together.allSatisfy { kinds in
        Set(kinds.map { self[$0] != nil }).count == 1
      }
      && KeyIndex.isPossible(slotCount: index.itemCount, rowCount: rowCount)
      && first.offset % UInt64(Self.byteCount) == 0
  }

  package subscript(kind: SectionKind) -> Section? {
    sections.first { $0.kind == kind.rawValue }
  }

  static func damage(_ path: String, _ reason: String) -> StorageError {
    StorageError(
      .corrupt, path: path,
      "The main file is damaged: \(reason). Restore the store from a backup.")
  }
}
