import EmbeddingIndexing
import EmbeddingStores
import Foundation
import Testing

/// What counts as the same phrase, where phrases are found, and what comes out.
@Suite struct PhraseTableTests {
  static func rewritten(_ query: String, _ table: [String: String]) throws -> String {
    let phrasings = try PhraseTable(table).phrasings(of: query)
    #expect(phrasings.count == 1)
    return try #require(phrasings.first)
  }

  @Test(arguments: [
    ("Straße", "STRASSE"), ("STRASSE", "straße"), ("straße", "STRAẞE"), ("Fuß", "fuss"),
    ("Café", "cafe"), ("cafe", "CAFE\u{301}"), ("cafe\u{301}", "café"),
    ("Crème brûlée", "creme  BRULEE"),
    ("ISPARTA", "ısparta"), ("İstanbul", "istanbul"), ("istanbul", "ISTANBUL"),
    ("kırmızı", "KIRMIZI"), ("kırmızı", "kirmizi"),
    ("ΟΔΟΣ", "οδός"), ("ёлка", "ЕЛКА"), ("đường", "ĐUONG"),
    ("كِتَاب", "كتاب"), ("كتاب", "كتـــاب"), ("أسد", "اسد"), ("ﻛﺘﺎﺏ", "كتاب"), ("שָׁלוֹם", "שלום"),
    ("カメラ", "ｶﾒﾗ"), ("ガラス", "ｶﾞﾗｽ"), ("が", "か\u{3099}"), ("ＡＢＣ", "abc"), ("犬 猫", "犬\u{3000}猫"),
    ("한국", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}"), ("น้ำ", "น\u{E49}\u{E4D}\u{E32}"),
    ("hot dog", " hot\u{A0}\n dog"), ("Fußball", "Fuß\u{AD}ball"), ("ﬁsch", "FISCH"),
    ("❤\u{FE0F}", "❤"),
  ])
  func thePhraseIsFoundHoweverItIsWritten(phrase: String, query: String) throws {
    #expect(try Self.rewritten(query, [phrase: "found"]) == "found")
    #expect(try Self.rewritten(phrase, [query: "found"]) == "found")
  }

  @Test(arguments: [
    ("か", "が"), ("は", "ぱ"), ("กา", "ก่า"), ("มา", "ม้า"), ("क", "क्"), ("한", "하"), ("ø", "o"),
  ])
  func marksThatMakeAnotherLetterMakeAnotherPhrase(phrase: String, query: String) throws {
    #expect(try Self.rewritten(query, [phrase: "found"]) == query)
    #expect(try Self.rewritten(phrase, [query: "found"]) == phrase)
  }

  @Test func everyLetterIsFoundInEitherCase() throws {
    var count = 0
    for value: UInt32 in 0...0x1FFFF {
      guard let scalar = Unicode.Scalar(value), scalar.properties.isCased,
        scalar.properties.generalCategory != .nonspacingMark
      else { continue }
      let letter = String(scalar)
      // The iota below ancient Greek vowels: an accent, but a letter of its own in capitals.
      if letter.decomposedStringWithCompatibilityMapping.unicodeScalars.contains("\u{345}") {
        continue
      }
      let table = try PhraseTable([letter: "found"])
      for form in [letter, letter.uppercased(), letter.lowercased()] {
        #expect(table.phrasings(of: form) == ["found"], "U+\(String(value, radix: 16)) \(form)")
      }
      count += 1
    }
    #expect(count > 2_500)
  }

  @Test(arguments: [
    ("party", "party"), ("art", "[art]"), ("art-house", "[art]-house"), ("l'art", "l'[art]"),
    ("art2", "art2"), ("the art.", "the [art]."), ("ART art", "[art] [art]"), ("smart", "smart"),
    ("état d'art", "état d'[art]"), ("artе", "artе"), ("(art)", "([art])"),
  ])
  func phrasesBeginAndEndAtTheEdgesOfWords(query: String, expected: String) throws {
    #expect(try Self.rewritten(query, ["Art": "[art]"]) == expected)
  }

  @Test(arguments: [
    ("红色的汽车", "red car"), ("汽车在海滩", "car 在 beach"), ("我的iPhone照片", "我 iPhone photo"),
    ("赤い車の写真", "red car photo"), ("東京タワー", "Tokyo tower"), ("パンダ", "panda"),
    ("パンとパンダ", "bread と panda"), ("ภาพแมวสีดำ", "photo cat black"),
    ("ທ້າວໝາ", "ທ້າວ dog"), ("猫", "cat"), ("猫、犬", "cat、dog"),
  ])
  func textWithoutSpacesIsRewritten(query: String, expected: String) throws {
    let table = [
      "红色": "red", "汽车": "car", "车": "vehicle", "的": "", "海滩": "beach", "照片": "photo",
      "赤い": "red", "車": "car", "の": "", "写真": "photo", "東京": "Tokyo", "タワー": "tower",
      "東": "east", "パン": "bread", "パンダ": "panda", "ภาพ": "photo", "แมว": "cat", "สี": "",
      "ดำ": "black", "ໝາ": "dog", "猫": "cat", "犬": "dog",
    ]
    #expect(try Self.rewritten(query, table) == expected)
  }

  @Test func theLongestPhraseWins() throws {
    let table = ["hot": "warm", "hot dog": "sausage", "hot dog stand": "kiosk", "dog": "hound"]
    #expect(
      try Self.rewritten("hot dog standing hot dog stand hot", table)
        == "sausage standing kiosk warm")
    // One that goes on but does not end at the edge of a word gives way to a shorter one.
    #expect(try Self.rewritten("hot dogs", table) == "warm dogs")
  }

  @Test func whatIsNotKnownStaysAsItIs() throws {
    let table = ["hund": "dog"]
    #expect(try Self.rewritten("Ein  Ärger", table) == "Ein  Ärger")
    #expect(try Self.rewritten("Éin Hund, BELLT", table) == "Éin dog, BELLT")
    #expect(try PhraseTable([:] as [String: String]).phrasings(of: "") == [""])
  }

  @Test func anEmptyReplacementDropsThePhrase() throws {
    #expect(try Self.rewritten("zeige mir Hunde bitte", ["zeige mir": "", "bitte": ""]) == "Hunde")
    #expect(try Self.rewritten("bitte", ["bitte": ""]).isEmpty)
  }

  @Test func severalReplacementsGiveAsManyPhrasings() throws {
    let table = try PhraseTable([
      "hund": ["dog", "puppy", "hound"], "strand": ["beach", "shore"], "am": ["on the"],
    ])
    #expect(
      table.phrasings(of: "Hund am Strand") == [
        "dog on the beach", "puppy on the shore", "hound on the beach",
      ])
    #expect(table.phrasings(of: "Strand") == ["beach", "shore"])
  }

  @Test func entriesThatAreOnePhraseMustAgree() throws {
    for _ in 0..<20 {  // Dictionaries have another order each time.
      let error = #expect(throws: StoreError.self) {
        try PhraseTable(["Äpfel": "apples", "apfel": "apple", "birne": "pear"])
      }
      #expect(error?.code == .invalidArgument)
      #expect(error?.message.contains("\"apfel\" and \"Äpfel\"") == true)
    }
    let table = try PhraseTable(["Café": "coffee house", "CAFE": "coffee house"])
    #expect(table.phrasings(of: "cafe") == ["coffee house"])
  }

  @Test func blankPhrasesAndThoseWithoutReplacementAreRefused() {
    for phrase in ["", " \n\u{3000}", "\u{301}", "\u{200B}", "\u{A8}"] {
      let error = #expect(throws: StoreError.self) { try PhraseTable([phrase: "x"]) }
      #expect(error?.code == .invalidArgument)
    }
    let error = #expect(throws: StoreError.self) { try PhraseTable(["hund": []]) }
    #expect(error?.code == .invalidArgument)
  }
}
