/// What this build of the library writes and can read.
package enum FormatVersion {
  /// The on-disk version; independent of the package's version.
  package static let current: UInt32 = 1
}

/// Named additions to the format, in three strengths, so that an old library knows what it may
/// still do with a new store. Version 1 defines none.
package struct FeatureBits: Equatable, Sendable {
  /// Bits a reader must know, or refuse the file.
  package var incompatible: UInt32 = 0
  /// Bits a writer must know, or open the store for reading only.
  package var readOnlyCompatible: UInt32 = 0
  /// Bits that anyone may ignore.
  package var compatible: UInt32 = 0

  package static let known = FeatureBits()

  package init() {}

  init?(_ bytes: RawSpan, at offset: Int) {
    guard let incompatible = bytes.integer(at: offset, as: UInt32.self),
      let readOnlyCompatible = bytes.integer(at: offset + 4, as: UInt32.self),
      let compatible = bytes.integer(at: offset + 8, as: UInt32.self)
    else { return nil }
    self.incompatible = incompatible
    self.readOnlyCompatible = readOnlyCompatible
    self.compatible = compatible
  }

  func encode(into writer: ByteWriter) {
    writer.append(incompatible)
    writer.append(readOnlyCompatible)
    writer.append(compatible)
  }

  /// Refuses what this build can not read.
  func checkReadable(version: UInt32, path: String) throws(StorageError) {
    guard version == FormatVersion.current else {
      throw StorageError(
        .unsupportedFormat, path: path,
        "The file has format version \(version); this library reads version "
          + "\(FormatVersion.current). Update the library, or open the store with the version "
          + "that wrote it.")
    }
    let unknown = incompatible & ~Self.known.incompatible
    guard unknown == 0 else {
      throw StorageError(
        .unsupportedFormat, path: path,
        "The file uses format features (bits \(String(unknown, radix: 2))) that this library "
          + "does not know. Update the library.")
    }
  }

  /// Refuses to write where a newer library keeps something that this build would lose.
  func checkWritable(path: String) throws(StorageError) {
    let unknown = readOnlyCompatible & ~Self.known.readOnlyCompatible
    guard unknown == 0 else {
      throw StorageError(
        .unsupportedFormat, path: path,
        "The store uses format features (bits \(String(unknown, radix: 2))) that this library "
          + "can read around but not write. Open it read-only, or update the library.")
    }
  }
}
