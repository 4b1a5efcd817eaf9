extension Arguments {
  /// Refuses arguments that mean nothing together.
  func checkTogether() throws(ArgumentError) {
    if data != nil, rowCount != nil {
      throw ArgumentError("--data names real data and --rows asks for synthetic data: use one.")
    }
    if dimension != nil || isIsotropic, rowCount == nil {
      throw ArgumentError("--dimension and --isotropic belong to a synthetic set: give --rows too.")
    }
    if first != nil, rowCount != nil {
      throw ArgumentError("--first belongs to real data; --rows says how many synthetic rows.")
    }
    if [.peers, .clusters, .duplicates, .exchange].contains(command), rowCount != nil {
      throw ArgumentError("Peers are timed on a folder: give --data instead of --rows.")
    }
    if command != .clusters, html != nil || images != nil {
      throw ArgumentError("--html and --images belong to \"bench clusters\".")
    }
    if command != .duplicates, score != nil {
      throw ArgumentError("--score belongs to \"bench duplicates\".")
    }
    if command != .peers, only != nil {
      throw ArgumentError("--only belongs to \"bench peers\".")
    }
    if command == .text, data != nil || first != nil || dimension != nil || isIsotropic {
      throw ArgumentError("\"bench text\" makes its records itself: give --rows, no other data.")
    }
    try checkIndexing()
  }

  private func checkIndexing() throws(ArgumentError) {
    guard command == .index else {
      if !texts.isEmpty { throw ArgumentError("--query belongs to \"bench index\".") }
      return
    }
    if data != nil || first != nil || isIsotropic {
      throw ArgumentError("\"bench index\" takes a folder of text files or --rows, no other data.")
    }
    if rowCount != nil, operand != nil || !texts.isEmpty {
      throw ArgumentError("--rows asks for synthetic items, which have no folder and no texts.")
    }
    for text in texts where !text.contains(where: { $0.isLetter || $0.isNumber }) {
      throw ArgumentError("--query needs a letter or a digit, not \"\(text)\".")
    }
  }
}
