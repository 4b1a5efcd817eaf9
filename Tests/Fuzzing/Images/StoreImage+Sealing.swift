import EmbeddingFiles

extension StoreImage {
  /// Makes every checksum hold again, and every copy of one, and leaves all else as it is, so that
  /// what lies behind the checksums is reached.
  mutating func seal() {
    let mainChecksum = sealMain()
    if var manifest = self[.manifest], manifest.count >= Manifest.byteCount {
      if let mainChecksum { manifest.set(mainChecksum, at: 48) }
      manifest.sealHeader(byteCount: Manifest.byteCount)
      self[.manifest] = manifest
    }
    if var journal = self[.journal], journal.count >= JournalHeader.byteCount {
      if let mainChecksum { journal.set(mainChecksum, at: 48) }
      journal.sealHeader(byteCount: JournalHeader.byteCount)
      journal.sealEntries()
      self[.journal] = journal
    }
  }

  /// Answers the header's checksum.
  private mutating func sealMain() -> UInt32? {
    guard var main = self[.main], main.count >= MainHeader.byteCount else { return nil }
    let tableOffset: UInt64 = main.number(at: 104) ?? 0
    if let table = Int(exactly: tableOffset), table >= MainHeader.byteCount, table <= main.count {
      var blocks = Swift.stride(
        from: MainHeader.byteCount, to: table, by: MainHeader.blockByteCount
      ).makeIterator()
      var entry = table
      while entry + 4 <= main.count, let block = blocks.next() {
        let end = min(table, block + MainHeader.blockByteCount)
        main.set(main.maskedChecksum(of: block..<end), at: entry)
        entry += 4
      }
      main.set(main.maskedChecksum(of: table..<main.count), at: 116)
    }
    main.sealHeader(byteCount: MainHeader.byteCount)
    self[.main] = main
    return main.number(at: MainHeader.byteCount - 4)
  }
}

extension [UInt8] {
  /// The little-endian number at an offset, if there is one.
  func number<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Value? {
    withRawSpan { $0.integer(at: offset, as: Value.self) }
  }

  mutating func set(_ value: UInt32, at offset: Int) {
    for index in 0..<4 { self[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
  }

  fileprivate func maskedChecksum(of range: Range<Int>, seed: UInt32 = 0) -> UInt32 {
    withRawSpan { Checksum.masked(Checksum.crc32c($0.extracting(range), seed: seed)) }
  }

  /// Puts the checksum of a header into its last four bytes.
  fileprivate mutating func sealHeader(byteCount: Int) {
    set(maskedChecksum(of: 0..<byteCount - 4), at: byteCount - 4)
  }

  /// Chains the entries of a journal, as far as they can be told apart.
  fileprivate mutating func sealEntries() {
    let seed = withRawSpan { journal in
      let identifier = Checksum.crc32c(journal.extracting(16..<32))
      let generation = Checksum.crc32c(journal.extracting(32..<40), seed: identifier)
      return Checksum.crc32c(journal.extracting(56..<64), seed: generation)
    }
    var previous: UInt32 = number(at: JournalHeader.byteCount - 4) ?? 0
    var offset = JournalHeader.byteCount
    while let byteCount = number(at: offset + 4) as UInt32?,
      offset + JournalEntryHeader.byteCount + Int(byteCount) <= count
    {
      set(previous, at: offset + 16)
      let start = Swift.withUnsafeBytes(of: UInt64(offset).littleEndian) {
        Checksum.crc32c($0.bytes, seed: seed)
      }
      let payload = offset + JournalEntryHeader.byteCount
      let end = payload + Int(byteCount)
      let head = withRawSpan { Checksum.crc32c($0.extracting(offset..<offset + 20), seed: start) }
      previous = maskedChecksum(of: payload..<end, seed: head)
      set(previous, at: offset + 20)
      offset = end
    }
  }
}
