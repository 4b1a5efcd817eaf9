import EmbeddingStores
import EmbeddingTestSupport
import Testing

@testable import EmbeddingTextSearch

/// What a person who reads the script expects a search to find, and not to find.
struct ScriptCase: Sendable, CustomTestStringConvertible {
  let script: String
  let text: String
  let found: [String]
  let notFound: [String]

  init(_ script: String, _ text: String, finds found: [String], notFinds notFound: [String]) {
    self.script = script
    self.text = text
    self.found = found
    self.notFound = notFound
  }

  var testDescription: String { "\(script): \(text.prefix(20))" }
}

@Suite struct ScriptTests {
  @Test(arguments: cases) func findsWhatAPersonExpects(_ expected: ScriptCase) throws {
    // Other records, so that a search which finds everything is noticed.
    let bench = try WordBench(["text": expected.text, "other": "zzz 0000", "none": ""])
    let index = try TextIndex(of: bench.store)
    for words in expected.found {
      #expect(try index.keys(WordQuery(words)) == ["text"], "\(words)")
      let ranges = try TextIndex.ranges(of: WordQuery(words), in: expected.text)
      #expect(!ranges.isEmpty, "\(words) is not marked")
    }
    for words in expected.notFound {
      #expect(try index.keys(WordQuery(words)) == [], "\(words)")
    }
  }

  @Test func theTableHasTwelveScriptsOrMore() {
    #expect(Set(Self.cases.map(\.script)).count >= 12)
  }

  static let cases = [
    ScriptCase(
      "Latin", "The quick brown fox jumps over the lazy dog",
      finds: ["fox", "FOX", "quick fox", "\"lazy dog\"", "jum*", "dog lazy"],
      notFinds: ["fo", "cat", "\"dog lazy\"", "ump", "ox*"]),
    ScriptCase(
      "Latin", "Spaziergang auf der Straße in Łódź mit Zoë, Åse und Søren: über Größe",
      finds: [
        "strasse", "STRASSE", "Straße", "lodz", "Łódź", "zoe", "Zoe\u{308}", "ase", "soren", "uber",
      ],
      notFinds: ["stras", "odz"]),
    ScriptCase(
      "Latin", "Hà Nội là thủ đô của Việt Nam, l'école à l’été, cœur naïf, İstanbul ısı",
      finds: [
        "ha noi", "viet nam", "thu do", "ecole", "l'école", "\"l'ecole a\"", "ete", "coeur", "naif",
        "istanbul", "isi",
      ],
      notFinds: ["hanoi", "nav"]),
    ScriptCase(
      "Latin", "cafe\u{301} e-mail: jane.doe@example.org, ﬁnal, Ｆｕｌｌ ｗｉｄｔｈ, x² C++ 3.14",
      finds: [
        "café", "cafe", "e-mail", "mail", "jane.doe@example.org", "final", "full width", "3.14",
      ],
      notFinds: ["email", "jane@example.org"]),
    ScriptCase(
      "Greek", "Η Αθήνα είναι η πρωτεύουσα της Ελλάδας· ο Ὀδυσσεύς",
      finds: ["αθηνα", "ΑΘΗΝΑ", "Αθήνα", "ελλαδας", "ΕΛΛΆΔΑΣ", "οδυσσευσ"],
      notFinds: ["αθην", "σπαρτη"]),
    ScriptCase(
      "Cyrillic", "Съёмка: мой ёжик на Красной площади, Київ — їжак",
      finds: ["ежик", "ЁЖИК", "съемка", "красной", "мой", "мои\u{306}", "київ", "їжак", "площ*"],
      notFinds: ["мои", "киів", "москва"]),
    ScriptCase(
      "Armenian", "Երևանը Հայաստանի մայրաքաղաքն է",
      finds: ["երևանը", "հայաստանի", "ՀԱՅԱՍՏԱՆԻ"], notFinds: ["լեռ"]),
    ScriptCase(
      "Georgian", "თბილისი საქართველოს დედაქალაქია", finds: ["თბილისი", "საქართველოს", "თბი*"],
      notFinds: ["ბათუმი"]),
    ScriptCase(
      "Hebrew", "שָׁלוֹם עוֹלָם, ירושלים",
      finds: ["שלום", "שָׁלוֹם", "עולם", "ירושלים"], notFinds: ["שלו", "חיפה"]),
    ScriptCase(
      "Arabic", "السَّلامُ عَلَيْكُم أَحْمَد في القاهرة ١٢٣ مـــرحبا",
      finds: ["السلام", "عليكم", "احمد", "أحمد", "القاهره", "123", "مرحبا", "\"احمد في\""],
      notFinds: ["سلا", "دمشق"]),
    ScriptCase(
      "Persian", "کتاب‌های فارسی و می‌خواهم ایران", finds: ["فارسی", "ايران", "كتاب‌های", "کتاب*"],
      notFinds: ["تهران"]),
    ScriptCase(
      "Devanagari", "नमस्ते दुनिया, हिन्दी भाषा २०२४ ज़मीन",
      finds: ["नमस्ते", "दुनिया", "हिन्दी", "2024", "जमीन", "\"हिन्दी भाषा\""],
      notFinds: ["नमस", "दनय", "दिल्ली"]),
    ScriptCase(
      "Bengali", "আমার সোনার বাংলা", finds: ["সোনার", "বাংলা"], notFinds: ["সনর", "ঢাকা"]),
    ScriptCase(
      "Tamil", "வணக்கம் தமிழ்நாடு", finds: ["வணக்கம்", "தமிழ்நாடு", "தமிழ்*"],
      notFinds: ["சென்னை"]),
    ScriptCase(
      "Thai", "ภาษาไทยไม่มีช่องว่างระหว่างคำ กรุงเทพมหานคร ๒๕๖๗",
      finds: ["ภาษาไทย", "ไทย", "ไม่มี", "คำ", "กรุงเทพ", "ก", "กรุงเทพ ภาษา", "2567"],
      notFinds: ["ภาษาลาว", "ไมมี", "เชียงใหม่"]),
    ScriptCase(
      "Lao", "ພາສາລາວ ວຽງຈັນ", finds: ["ລາວ", "ພາສາ", "ວຽງຈັນ"], notFinds: ["ປາກເຊ"]),
    ScriptCase(
      "Khmer", "ភាសាខ្មែរនៅភ្នំពេញ", finds: ["ខ្មែរ", "ភ្នំពេញ"], notFinds: ["សៀមរាប"]),
    ScriptCase(
      "Chinese", "我在北京大学学习中文，iPhone手机2024年买的。",
      finds: [
        "北京", "北京大学", "大学", "京", "文", "学习中文", "我", "iphone", "手机", "iPhone手机", "2024年", "年",
        "中文 北京", "\"iphone 手机\"",
      ],
      notFinds: ["京北", "北大", "上海", "手机iphone", "海"]),
    ScriptCase(
      "Japanese", "東京都でラーメンを食べました。ｶﾞﾗｽとﾊﾟﾝ、がっこう",
      finds: [
        "東京", "京都", "ラーメン", "食べました", "食", "ガラス", "パン", "がっこう", "か\u{3099}っこう", "を", "東京 パン",
      ],
      notFinds: ["カラス", "ハン", "大阪", "かっこう", "か", "東都"]),
    ScriptCase(
      "Korean", "서울에서 김치찌개를 먹었다. 학교 \u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}",
      finds: [
        "서울", "김치", "찌개", "학교", "한글", "울", "먹었다", "서울 학교",
        "\u{1109}\u{1165}\u{110b}\u{116e}\u{11af}",
      ],
      notFinds: ["부산", "치김", "서치"]),
  ]
}
