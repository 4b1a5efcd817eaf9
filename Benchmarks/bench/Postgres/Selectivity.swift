import EmbeddingStores

/// How many rows a filter lets through.
enum Selectivity: String, CaseIterable {
  case all = "no filter"
  case half = "50 %"
  case twentieth = "5 %"
  case twoHundredth = "0.5 %"

  var filter: Filter {
    self == .all ? Filter() : Filter(labels: [.any([rawValue])])
  }

  /// The labels by which a row passes: which ones follows from its number, and nothing else.
  static func labels(of row: Int) -> Set<String> {
    let number = (UInt64(row) &* 0x9e37_79b9_7f4a_7c15) >> 40
    var labels: Set<String> = []
    if number % 2 == 0 { labels.insert(half.rawValue) }
    if number % 20 == 1 { labels.insert(twentieth.rawValue) }
    if number % 200 == 3 { labels.insert(twoHundredth.rawValue) }
    return labels
  }
}
