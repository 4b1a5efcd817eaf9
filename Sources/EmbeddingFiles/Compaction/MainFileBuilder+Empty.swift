extension MainFileBuilder {
  /// Writes the main file of a store without records.
  static func writeEmpty(
    to file: any File, identifier: StoreIdentifier, generation: UInt64, space: SpaceDescription
  ) throws(StorageError) -> MainHeader {
    let writer = MainFileWriter(
      file,
      header: MainHeader(
        identifier: identifier, generation: generation, space: space, rowCount: 0,
        lastSequence: 0, maximumRowLength: normalizedRowLength(space), hasParts: false))
    for kind in [SectionKind.rows, .timestamps, .changeNumbers, .parts] {
      try writer.beginSection(kind)
      writer.endSection(itemCount: 0)
    }
    try writer.beginSection(.keyOffsets)
    try writer.append(UInt64(0))
    writer.endSection(itemCount: 1)
    try writer.beginSection(.keyBytes)
    writer.endSection(itemCount: 0)
    try writer.beginSection(.keyIndex)
    try writer.appendKeyIndex(hashes: [])
    writer.endSection(itemCount: KeyIndex.slotCount(forRowCount: 0))
    return try writer.finish()
  }

  /// Rounding to Float16 lengthens a row of length 1 by less than one part in 2,048.
  private static func normalizedRowLength(_ space: SpaceDescription) -> Float {
    space.isNormalized ? 1.001 : 0
  }
}
