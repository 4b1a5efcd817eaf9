internal import EmbeddingFiles

/// Finds keys and parts that occur twice, in 8 bytes a row: hashes first, and keys only for those
/// that share one.
struct RepeatedIdentities {
  private var hashes: [UInt64] = []

  mutating func note(_ key: String, _ part: UInt16) {
    hashes.append(Self.hash(key, part))
  }

  /// The rows worth a second look: none, unless a key is repeated or two hashes are equal by chance.
  consuming func suspects() -> Suspects {
    hashes.sort()
    var repeated: Set<UInt64> = []
    for (hash, next) in zip(hashes, hashes.dropFirst()) where hash == next {
      repeated.insert(hash)
    }
    return Suspects(hashes: repeated)
  }

  fileprivate static func hash(_ key: String, _ part: UInt16) -> UInt64 {
    KeyHash.hash(key) ^ UInt64(part) &* 0x9e37_79b9_7f4a_7c15
  }

  struct Suspects {
    private struct Identity: Hashable {
      let key: Key
      let part: UInt16
    }

    private let hashes: Set<UInt64>
    private var rows: [Identity: Int] = [:]

    fileprivate init(hashes: Set<UInt64>) {
      self.hashes = hashes
    }

    var isEmpty: Bool { hashes.isEmpty }

    /// The row that had this key and part before, if any.
    mutating func firstRow(of key: String, _ part: UInt16, at row: Int) -> Int? {
      guard hashes.contains(RepeatedIdentities.hash(key, part)) else { return nil }
      let identity = Identity(key: Key(key), part: part)
      if let first = rows[identity] { return first }
      rows[identity] = row
      return nil
    }
  }
}
