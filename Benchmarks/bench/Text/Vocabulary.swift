/// Words, the first of which are drawn far more often than the last, as Zipf found in real texts.
struct Vocabulary {
  let words: [String]
  /// The sums of the weights of all words up to each one.
  private let sums: [Int]

  init(_ script: TextCorpus.Script, count: Int) {
    var random = RandomNumbers(seed: 20_261_201)
    var known: Set<String> = []
    var words: [String] = []
    while words.count < count {
      let word = script == .latin ? Self.latinWord(&random) : Self.denseWord(&random)
      // Words that differ in accents alone would be found for each other.
      guard known.insert(word.bare).inserted else { continue }
      words.append(word.text)
    }
    self.words = words
    var sum = 0
    // In whole numbers, which are the same everywhere.
    sums = words.indices.map { rank in
      sum += 3_000_000 / (rank + 3)
      return sum
    }
  }

  /// The number of a word.
  func drawn(_ random: inout RandomNumbers) -> Int {
    let wanted = random.below(sums.last ?? 0)
    var range = sums.indices
    while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
      range =
        sums[middle] <= wanted ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }

  private typealias Word = (text: String, bare: String)

  private static func latinWord(_ random: inout RandomNumbers) -> Word {
    let consonants = Array("bcdfghjklmnprstvz")
    let vowels = Array("aeiou")
    let accented = Array("áéîöû")
    var word: Word = ("", "")
    for _ in 0..<1 + random.below(2) + random.below(3) {
      let consonant = consonants[random.below(consonants.count)]
      let vowel = random.below(vowels.count)
      word.bare += [consonant, vowels[vowel]]
      word.text += [consonant, random.below(8) == 0 ? accented[vowel] : vowels[vowel]]
    }
    return word
  }

  /// Two to four scalars: three of five words of ideographs, the others of hiragana or katakana.
  private static func denseWord(_ random: inout RandomNumbers) -> Word {
    let start: UInt32
    let count: Int
    switch random.below(5) {
    case 0: (start, count) = (0x3042, 76)
    case 1: (start, count) = (0x30a2, 76)
    default: (start, count) = (0x4e00, 3_000)
    }
    var word = String.UnicodeScalarView()
    for _ in 0..<2 + random.below(3) {
      // Every second sign of kana is one with a sound mark, or small: all of them are letters.
      word.append(Unicode.Scalar(start + UInt32(random.below(count))) ?? "一")
    }
    return (String(word), String(word))
  }
}
