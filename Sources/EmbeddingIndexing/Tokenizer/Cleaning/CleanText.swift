/// The form of a text that is split into words: repaired, without HTML character references, in
/// lower case, and with single spaces between what white space separated.
enum CleanText {
  static func scalars(of text: String) -> [TracedScalar] {
    if let plain = plainScalars(of: text) { return plain }
    var scalars = TextRepair.repaired([TracedScalar](text))
    // Twice, for texts that were escaped twice.
    scalars = CharacterReferences.replaced(in: CharacterReferences.replaced(in: scalars))
    scalars = collapsingWhiteSpace(scalars)
    return Lowercasing.lowercased(scalars)
  }

  /// The same in one pass for text that needs no repair, as most queries are: ASCII without
  /// control characters and ampersands. Nil for any other.
  private static func plainScalars(of text: String) -> [TracedScalar]? {
    var scalars: [TracedScalar] = []
    scalars.reserveCapacity(text.utf8.count)
    var offset = 0
    var isBehindSpace = false
    for byte in text.utf8 {
      switch byte {
      case 0x20, 0x09, 0x0a, 0x0c, 0x0d:
        isBehindSpace = !scalars.isEmpty
      case UInt8(ascii: "&"), 0x00..<0x20, 0x7f...0xff:
        return nil
      default:
        if isBehindSpace {
          scalars.append(TracedScalar(value: " ", source: offset - 1..<offset))
          isBehindSpace = false
        }
        let isUpper = (0x41...0x5a).contains(byte)
        scalars.append(
          TracedScalar(
            value: Unicode.Scalar(isUpper ? byte | 0x20 : byte), source: offset..<offset + 1))
      }
      offset += 1
    }
    return scalars
  }

  private static func collapsingWhiteSpace(_ text: [TracedScalar]) -> [TracedScalar] {
    var result: [TracedScalar] = []
    result.reserveCapacity(text.count)
    var space: TracedScalar?
    for scalar in text {
      if scalar.value.isWhiteSpace {
        if !result.isEmpty { space = TracedScalar(value: " ", source: scalar.source) }
        continue
      }
      if let separator = space {
        result.append(separator)
        space = nil
      }
      result.append(scalar)
    }
    return result
  }
}
