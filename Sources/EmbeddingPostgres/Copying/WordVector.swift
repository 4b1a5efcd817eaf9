internal import EmbeddingTextSearch

/// The words of a record as PostgreSQL's `tsvector`, in the form in which `TextIndex` knows them: the
/// server then finds the same words as the device, whatever the script.
///
/// Labels come first, with weight A; then the text, with weight D. PostgreSQL holds positions up to
/// 16,383, 256 for each word, and 1 MiB in all: phrases are not found behind that, and words
/// not behind 1 MiB.
struct WordVector {
  /// In the binary format: int32 number of words, and for each: bytes, 0, int16 number of positions,
  /// positions, each with the weight in its two highest bits.
  private(set) var bytes: [UInt8] = []

  private static let largestPosition: UInt16 = 16_383
  private static let largestPositionCount = 256
  private static let largestByteCount = 1_000_000

  private enum Weight: UInt16 {
    case text = 0
    case label = 0xc000
  }

  private var positions: [[UInt8]: [UInt16]] = [:]
  private var position: UInt16 = 0
  private var byteCount = 0

  init(text: String?, labels: [String]) {
    for label in labels {
      append(label, .label)
      // No phrase reaches from one label into the next.
      advance()
    }
    if let text { append(text, .text) }
    bytes.append(bigEndian: Int32(truncatingIfNeeded: positions.count))
    for (word, places) in positions {
      bytes += word
      bytes.append(0)
      bytes.append(bigEndian: UInt16(truncatingIfNeeded: places.count))
      for place in places { bytes.append(bigEndian: place) }
    }
  }

  private mutating func append(_ text: String, _ weight: Weight) {
    WordTokenizer.forEachToken(in: text) { token in
      advance()
      // The most that a word and its position take, alignment included.
      guard byteCount < Self.largestByteCount else { return }
      let places = positions[token.bytes]
      let last = places?.last.map { $0 & Self.largestPosition }
      guard last != position, places.map({ $0.count < Self.largestPositionCount }) ?? true
      else { return }
      byteCount += places == nil ? token.bytes.count + 6 : 2
      positions[token.bytes, default: []].append(position | weight.rawValue)
    }
  }

  private mutating func advance() {
    if position < Self.largestPosition { position += 1 }
  }
}
