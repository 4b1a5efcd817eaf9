/// The largest values that format version 1 holds; checked on every write and on every read.
package enum FormatLimits {
  package static let dimension = 1...4_096
  package static let keyByteCount = 1...65_535
  package static let labelByteCount = 1...65_535
  package static let labelCountPerRecord = 65_535
  /// All labels of a record, with 2 bytes of length for each.
  package static let labelsByteCountPerRecord = 16 << 20
  package static let metadataByteCount = 16 << 20
  package static let textByteCount = 16 << 20
  package static let modelByteCount = 1...1_024
  package static let revisionByteCount = 0...256
  /// So few that adding one for every byte that a file can have does not overflow.
  package static let sequence: ClosedRange<UInt64> = 1...(1 << 62)
  package static let rowCount = Int(clamping: UInt64(UInt32.max) - 1)
}
