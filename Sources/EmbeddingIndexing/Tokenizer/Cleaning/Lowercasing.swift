/// Full lower case by Unicode's mappings, with the one that depends on its surroundings: a capital
/// sigma at the end of a word. `String.lowercased()` does not know it.
enum Lowercasing {
  static func lowercased(_ text: [TracedScalar]) -> [TracedScalar] {
    var result: [TracedScalar] = []
    result.reserveCapacity(text.count)
    for (index, scalar) in text.enumerated() {
      switch scalar.value.value {
      case 0x41...0x5a:
        result.append([Unicode.Scalar(UInt8(scalar.value.value) | 0x20)], for: scalar.source)
      case 0x00...0x7f:
        result.append(scalar)
      case 0x3a3:
        result.append([isFinal(index, in: text) ? "\u{3c2}" : "\u{3c3}"], for: scalar.source)
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
