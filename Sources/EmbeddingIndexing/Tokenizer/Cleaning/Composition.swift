/// Composition of letters and their marks (Unicode's normalisation form C), tracing where each
/// composed scalar comes from.
enum Composition {
  static func composed(_ text: [TracedScalar]) -> [TracedScalar] {
    guard text.contains(where: { !isComposed($0.value) }) else { return text }
    var result: [TracedScalar] = []
    result.reserveCapacity(text.count)
    var start = 0
    while start < text.count {
      var end = start + 1
      while end < text.count, mayJoin(text[end].value) { end += 1 }
      compose(text[start..<end], into: &result)
      start = end
    }
    return result
  }

  /// Composes a scalar and the marks that follow it. What comes out stands for all of them.
  private static func compose(_ run: ArraySlice<TracedScalar>, into result: inout [TracedScalar]) {
    guard let first = run.first, let last = run.last else { return }
    if run.allSatisfy({ isComposed($0.value) }) {
      result += run
      return
    }
    let composed = compose(ordered(run.flatMap { decomposed($0.value) }))
    if composed.elementsEqual(run.lazy.map(\.value)) {
      result += run
    } else {
      result.append(composed, for: first.source.lowerBound..<last.source.upperBound)
    }
  }

  private static func decomposed(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    CanonicalMappings.decomposition(of: scalar)?.flatMap(decomposed) ?? [scalar]
  }

  /// Sorts each row of marks by combining class, equal ones as they stand.
  private static func ordered(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
    var keyed = scalars.enumerated().map { (rank: $1.combiningClass, offset: $0, scalar: $1) }
    var start = 0
    while start < keyed.count {
      let end = keyed[start...].dropFirst().firstIndex { $0.rank == 0 } ?? keyed.count
      keyed[start..<end].sort { ($0.rank, $0.offset) < ($1.rank, $1.offset) }
      start = end
    }
    return keyed.map(\.scalar)
  }

  /// Joins each mark to the letter before it, unless a mark between them blocks it.
  private static func compose(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
    var result: [Unicode.Scalar] = []
    var starter: Int?
    var lastClass: UInt8 = 0
    for scalar in scalars {
      let combiningClass = scalar.combiningClass
      if let index = starter, index == result.count - 1 || lastClass < combiningClass,
        let composite = CanonicalMappings.composite(of: result[index], scalar)
      {
        result[index] = composite
        continue
      }
      if combiningClass == 0 { starter = result.count }
      lastClass = combiningClass
      result.append(scalar)
    }
    return result
  }

  /// Whether a scalar may combine or change places with the one before it: marks, the vowels and
  /// final consonants of Hangul, and the vowel signs of Kirat Rai, which are letters.
  private static func mayJoin(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x2ff: return false
    case 0x1160...0x11ff, 0x16d63...0x16d6a: return true
    default: break
    }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return true
    default: return false
    }
  }

  /// Whether a scalar is surely left alone, whatever is before it: letters and signs of the most
  /// used blocks that are composed, and no marks.
  private static func isComposed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x2ff, 0x391...0x3ce, 0x400...0x482, 0x48a...0x52f, 0x5d0...0x5ea: true
    case 0x621...0x64a, 0xe01...0xe30, 0x1e00...0x1e99, 0x2010...0x2027: true
    case 0x3001...0x3029, 0x3041...0x3096, 0x30a0...0x30ff, 0x4e00...0x9fff: true
    case 0xac00...0xd7a3, 0xff01...0xff60, 0x1f000...0x1faff: true
    default: false
    }
  }
}

extension Unicode.Scalar {
  fileprivate var combiningClass: UInt8 { properties.canonicalCombiningClass.rawValue }
}
