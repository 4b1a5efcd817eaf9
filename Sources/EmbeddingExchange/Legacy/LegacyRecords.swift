internal import EmbeddingFiles
internal import EmbeddingStores

/// The records of a legacy file, found in bytes that have neither frames nor checksums.
///
/// ```
/// offset  size
///      0     2  byte count of the key
///      2        key, UTF-8
///               components, Float32 each
/// ```
/// Little-endian, as all machines that wrote it.
///
/// An append that was cut short makes one record of its beginning and of a part of the next, whose
/// numbers may look like any others. So a record counts when another begins where it ends, or when
/// nothing within it looks like the beginning of one.
struct LegacyRecords: Sendable {
  struct Place: Sendable {
    var key: Range<Int>
    var vector: Range<Int>
    var end: Int { vector.upperBound }
  }

  let bytes: MappedBytes
  let dimension: Int

  private var byteCount: Int { bytes.byteCount }

  /// Calls `found` with each record from `start` on, and `damaged` with what lies between them.
  ///
  /// - Parameter isStart: Whether it is known that a record begins at `start`.
  func scan(
    from start: Int, isStart: Bool, found: (Place) -> Void, damaged: (Range<Int>) -> Void
  ) throws(StoreError) {
    var start = start
    if !isStart {
      let first = try nextStart(from: start)
      if first > start { damaged(start..<first) }
      start = first
    }
    while start < byteCount {
      start = try step(from: start, found, damaged)
    }
  }

  /// Handles what is where a record was to begin, and gives back where to go on.
  private func step(
    from start: Int, _ found: (Place) -> Void, _ damaged: (Range<Int>) -> Void
  ) throws(StoreError) -> Int {
    let place = place(at: start)
    if let place, hasPlausibleKey(place), isContinued(at: place.end),
      !holdsAnotherKey(place, of: Self.certainKeyByteCount)
    {
      found(place)
      return place.end
    }
    let next = try nextStart(from: start + 1)
    guard let place, next >= place.end, isTrustworthy(place, before: next) else {
      damaged(start..<next)
      return next
    }
    found(place)
    if isContinued(at: place.end) { return place.end }
    if place.end < next { damaged(place.end..<next) }
    return next
  }

  /// Whether a place that no certain record follows is one all the same: nothing within it looks like
  /// another key; and where keys are too short to tell, something like one begins where it ends.
  private func isTrustworthy(_ place: Place, before next: Int) -> Bool {
    let isEndKnown = place.end == byteCount || isContinued(at: place.end)
    let (hasKey, hasVector) = (hasPlausibleKey(place), hasPlausibleVector(place))
    guard hasKey && hasVector || isEndKnown && (hasKey || hasVector) else { return false }
    return !holdsAnotherKey(place, of: Self.tellingKeyByteCount)
      && !holdsTornKey(place, before: next)
      && (place.key.count >= Self.tellingKeyByteCount.lowerBound || mayBegin(at: place.end))
  }
}

// MARK: - What looks like a record

extension LegacyRecords {
  private static let largestComponent: Float = 10_000
  private static let plausibleKeyByteCount = 1...1_024
  /// Shorter keys occur among components by chance, in one of some 30,000 vectors.
  private static let tellingKeyByteCount = 8...1_024
  /// Such keys do in one of some 50 million.
  private static let certainKeyByteCount = 16...1_024

  /// Where a record at `start` has its parts, if it fits.
  private func place(at start: Int) -> Place? {
    guard let length = bytes.withBytes({ $0.integer(at: start, as: UInt16.self) }) else {
      return nil
    }
    let key = start + 2..<start + 2 + Int(length)
    let vector = key.upperBound..<key.upperBound + 4 * dimension
    return vector.upperBound <= byteCount ? Place(key: key, vector: vector) : nil
  }

  private func hasPlausibleKey(_ place: Place) -> Bool {
    isPlausibleKey(place.key)
  }

  private func isPlausibleKey(_ range: Range<Int>) -> Bool {
    guard Self.plausibleKeyByteCount.contains(range.count) else { return false }
    return bytes.withBytes { span in
      guard let key = span.string(at: range.lowerBound, count: range.count) else { return false }
      return key.utf8.allSatisfy(Self.isText)
    }
  }

  /// Whether a byte is no control character, or one that lines of text have.
  private static func isText(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7f || byte == 0x09 || byte == 0x0a || byte == 0x0d
  }

  private func hasPlausibleVector(_ place: Place) -> Bool {
    bytes.withBytes { ElementFormat.float32.decoded($0.extracting(place.vector)) }
      // Not so for what is not a number, either.
      .allSatisfy { abs($0) <= Self.largestComponent }
  }

  private func isWellFormed(at start: Int) -> Bool {
    guard let place = place(at: start) else { return false }
    return hasPlausibleKey(place) && hasPlausibleVector(place)
  }

  /// Whether a record begins where another ended: a good one, or one with a bad key or vector behind
  /// which a good one begins.
  private func isContinued(at start: Int) -> Bool {
    guard let place = place(at: start) else { return false }
    let (hasKey, hasVector) = (hasPlausibleKey(place), hasPlausibleVector(place))
    if hasKey, hasVector { return true }
    // What is no length may lead to where a record does begin.
    guard place.key.count <= Self.plausibleKeyByteCount.upperBound else { return false }
    return (hasKey || hasVector) && (place.end == byteCount || isWellFormed(at: place.end))
  }

  /// Whether the length and text of a key lie among the components, as where an append was cut short.
  private func holdsAnotherKey(_ place: Place, of byteCounts: ClosedRange<Int>) -> Bool {
    // A copy, because three bytes at a time are read from it thousands of times.
    let start = place.vector.lowerBound
    let copied = bytes.withBytes {
      $0.array(at: start, count: min(place.vector.count + 2, byteCount - start)) ?? []
    }
    for offset in 0..<max(0, copied.count - 2) {
      let length = Int(copied[offset]) | Int(copied[offset + 1]) << 8
      guard byteCounts.contains(length), Self.isText(copied[offset + 2]) else { continue }
      let key = start + offset + 2
      if key <= byteCount - length, isPlausibleKey(key..<key + length) { return true }
    }
    return false
  }
}

extension LegacyRecords {
  /// Whether the length of a key lies among the components, and text from there up to where the next
  /// record begins: an append that was cut within its key, behind another that was cut short.
  private func holdsTornKey(_ place: Place, before next: Int) -> Bool {
    let leastByteCount = Self.tellingKeyByteCount.lowerBound
    let last = min(place.end - 1, next - 2 - leastByteCount)
    let first = max(place.vector.lowerBound, next - 2 - Self.tellingKeyByteCount.upperBound)
    guard first <= last else { return false }
    return (first...last).contains { start in
      guard let length = bytes.withBytes({ $0.integer(at: start, as: UInt16.self) }),
        Self.tellingKeyByteCount.contains(Int(length)), next - start - 2 < Int(length)
      else { return false }
      return isPlausibleKey(start + 2..<next)
    }
  }
}

// MARK: - Searching

extension LegacyRecords {
  /// The next offset at which a good record begins behind which another one, or the end, comes; the end
  /// when there is none.
  private func nextStart(from start: Int) throws(StoreError) -> Int {
    var start = start
    while start < byteCount {
      if let place = place(at: start), hasPlausibleKey(place), hasPlausibleVector(place),
        mayBegin(at: place.end)
      {
        return start
      }
      start += 1
      guard start % (1 << 20) != 0 || !Task.isCancelled else {
        throw StoreError(.cancelled, "The import was cancelled. Rows stored so far stay.")
      }
    }
    return byteCount
  }

  /// Whether a key begins here, or what the end of the file left of one.
  private func mayBegin(at start: Int) -> Bool {
    guard let length = bytes.withBytes({ $0.integer(at: start, as: UInt16.self) }) else {
      return true
    }
    let key = start + 2..<start + 2 + Int(length)
    return key.upperBound <= byteCount
      ? isPlausibleKey(key) : Self.plausibleKeyByteCount.contains(key.count)
  }
}
