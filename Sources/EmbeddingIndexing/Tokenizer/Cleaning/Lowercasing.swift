/// Full lower case by Unicode's mappings, with the one that depends on its surroundings: a capital
/// sigma at the end of a word. `String.lowercased()` does not know it.
enum Lowercasing {
  static func lowercased(_ text: [TracedScalar]) -> [TracedScalar] {
    var result: [TracedScalar] = []
    result.reserveCapacity(text.count)
    for (index, scalar) in text.enumerated() {
      switch scalar.value.value {
      case 0x41...0x5a:
        let small = Unicode.Scalar(UInt8(scalar.value.value) | 0x20)
        result.append(TracedScalar(value: small, source: scalar.source))
      case 0x00...0x7f, 0x2e80...0xa63f, 0xac00...0xfaff, 0x1f000...0x1faff:
        // No letter with case is among them: ASCII, the scripts of East Asia, emoji.
        result.append(scalar)
      case 0x3a3:
        let small: Unicode.Scalar = isFinal(index, in: text) ? "\u{3c2}" : "\u{3c3}"
        result.append(TracedScalar(value: small, source: scalar.source))
      default:
        let properties = scalar.value.properties
        if properties.changesWhenLowercased {
          result.append(properties.lowercaseMapping.unicodeScalars, for: scalar.source)
        } else {
          result.append(scalar)
        }
      }
    }
    return result
  }

  /// Whether a cased letter comes before and none after, apart from marks and the like between
  /// (the Unicode Standard, condition `Final_Sigma`).
  private static func isFinal(_ index: Int, in text: [TracedScalar]) -> Bool {
    let isRelevant = { (scalar: TracedScalar) in !scalar.value.properties.isCaseIgnorable }
    guard text[..<index].last(where: isRelevant)?.value.properties.isCased == true else {
      return false
    }
    return text[(index + 1)...].first(where: isRelevant)?.value.properties.isCased != true
  }
}
