/// Which row of a store: the key of its record, and the part.
public struct RowIdentity: Hashable, Comparable, Codable, Sendable {
  /// The record's key.
  public let key: String
  /// Which part of the item it is.
  public let part: UInt16

  /// Names a row.
  public init(key: String, part: UInt16 = 0) {
    self.key = key
    self.part = part
  }

  /// Whether both are the same row, keys compared by bytes.
  public static func == (first: RowIdentity, second: RowIdentity) -> Bool {
    first.part == second.part && first.key.utf8.elementsEqual(second.key.utf8)
  }

  /// By the bytes of the key, then by part.
  public static func < (first: RowIdentity, second: RowIdentity) -> Bool {
    if first.key.utf8.elementsEqual(second.key.utf8) { return first.part < second.part }
    return first.key.utf8.lexicographicallyPrecedes(second.key.utf8)
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    for byte in key.utf8 { hasher.combine(byte) }
    hasher.combine(part)
  }
}
