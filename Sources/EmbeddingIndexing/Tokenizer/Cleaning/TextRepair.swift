/// What the reference does to every text by the Python package `ftfy` before anything else, except
/// for the repair of wrongly decoded text.
enum TextRepair {
  static func repaired(_ text: [TracedScalar]) -> [TracedScalar] {
    var result: [TracedScalar] = []
    result.reserveCapacity(text.count)
    var start = 0
    var isMarkup = false
    while start < text.count {
      let end = segmentEnd(in: text, from: start)
      let segment = [TracedScalar](text[start..<end])
      // From a line with "<" on, the text may be HTML, whose references are replaced later.
      isMarkup = isMarkup || segment.contains("<")
      result += repaired(segment: segment, replacesReferences: !isMarkup)
      start = end
    }
    return result
  }

  /// The end of the line, or of a million scalars.
  private static func segmentEnd(in text: [TracedScalar], from start: Int) -> Int {
    let limit = min(text.count, start + 1_000_000)
    return text[start..<limit].firstIndex { $0.value == "\n" }.map { $0 + 1 } ?? limit
  }

  /// Repeats the steps until they change nothing: one may make work for another.
  private static func repaired(
    segment: [TracedScalar], replacesReferences: Bool
  ) -> [TracedScalar] {
    var text = segment
    while true {
      let before = text
      if replacesReferences { text = CharacterReferences.replacedUnambiguous(in: text) }
      text = standardForms(of: text)
      text = removingTerminalEscapes(text)
      if text.contains(where: { isUnwantedControl($0.value) }) {
        text.removeAll { isUnwantedControl($0.value) }
      }
      text = Composition.composed(text)
      if text.hasSameScalars(as: before) { return text }
    }
  }

  private static func standardForms(of text: [TracedScalar]) -> [TracedScalar] {
    guard text.contains(where: { StandardForms.standardForm(of: $0.value) != nil }) else {
      return text
    }
    var result: [TracedScalar] = []
    result.reserveCapacity(text.count)
    for scalar in text {
      if let standard = StandardForms.standardForm(of: scalar.value) {
        result.append(standard.unicodeScalars, for: scalar.source)
      } else {
        result.append(scalar)
      }
    }
    return result
  }

  /// Controls without effect on white space or on the shaping of text.
  private static func isUnwantedControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x08, 0x0b, 0x0e...0x1f, 0x7f: true
    case 0x206a...0x206f, 0xfeff, 0xfff9...0xfffc: true
    default: false
    }
  }

  /// Removes the sequences that colour text in a terminal: escape, "[", numbers, and a letter.
  private static func removingTerminalEscapes(_ text: [TracedScalar]) -> [TracedScalar] {
    guard text.contains("\u{1b}") else { return text }
    var result: [TracedScalar] = []
    var index = 0
    while index < text.count {
      if let end = terminalEscapeEnd(in: text, from: index) {
        index = end
      } else {
        result.append(text[index])
        index += 1
      }
    }
    return result
  }

  private static func terminalEscapeEnd(in text: [TracedScalar], from start: Int) -> Int? {
    guard text.scalar(at: start) == "\u{1b}", text.scalar(at: start + 1) == "[" else { return nil }
    var index = start + 2
    while let scalar = text.scalar(at: index),
      scalar == ";" || scalar.properties.generalCategory == .decimalNumber
    {
      index += 1
    }
    guard let letter = text.scalar(at: index), "A"..."Z" ~= letter || "a"..."z" ~= letter else {
      return nil
    }
    return index + 1
  }
}
