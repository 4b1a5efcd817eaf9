internal import EmbeddingFiles
internal import EmbeddingStores

/// The main file or the journal, mapped read-only.
struct LegacySource: Sendable {
  let path: String
  let records: LegacyRecords

  /// Opens a file; nil when there is none. What can not be read is an error, not a missing file.
  init?(
    _ path: String, dimension: Int, on fileSystem: any FileSystem
  ) throws(StoreError) {
    let bytes = try translatingErrors { () throws(StorageError) -> MappedBytes? in
      guard try fileSystem.attributes(of: path) != nil else { return nil }
      let file = try fileSystem.open(path, .read)
      return try file.map(
        byteCount: Int(clamping: try file.attributes().byteCount), mode: .mapped)
    }
    guard let bytes else { return nil }
    self.path = path
    records = LegacyRecords(bytes: bytes, dimension: dimension)
  }

  func key(_ place: LegacyRecords.Place) -> [UInt8] {
    records.bytes.withBytes { $0.array(at: place.key.lowerBound, count: place.key.count) ?? [] }
  }

  func vector(_ place: LegacyRecords.Place) -> [Float] {
    records.bytes.withBytes { ElementFormat.float32.decoded($0.extracting(place.vector)) }
  }
}

/// What a main file says before its records.
///
/// ```
/// offset  size
///      0     4  "QEMB"
///      4     4  version, 1
///      8     4  number of records
/// ```
struct LegacyHeader {
  static let byteCount = 12

  let recordCount: Int

  /// The header, or nil when there is none.
  init?(_ source: LegacySource) throws(StoreError) {
    let fields = source.records.bytes.withBytes { bytes in
      (0..<3).map { bytes.integer(at: 4 * $0, as: UInt32.self) }
    }
    // "QEMB"
    guard fields[0] == 0x424d_4551, let version = fields[1], let count = fields[2] else {
      return nil
    }
    guard version == 1 else {
      throw StoreError(
        .unsupportedFormat,
        "The file says that it has version \(version), and version 1 is read. Nothing was imported.",
        path: source.path)
    }
    recordCount = Int(count)
  }
}
