import EmbeddingTestSupport

extension CrashPoint {
  /// What may have become of the pending operations: each way once.
  ///
  /// All done, none done, each prefix, each one lost, the last write torn, sizes without contents,
  /// directory entries with and without the data of the files, and `randomCount` mixtures.
  func fates(
    randomCount: Int, using generator: inout SeededGenerator
  ) -> [[OperationFate]] {
    let count = pending.count
    var found: Set<[OperationFate]> = []
    var ordered: [[OperationFate]] = []
    func add(_ fates: [OperationFate]) {
      if found.insert(fates).inserted { ordered.append(fates) }
    }
    let whole = [OperationFate](repeating: .whole, count: count)
    let lost = [OperationFate](repeating: .lost, count: count)
    add(whole)
    add(lost)
    for index in 0..<count {
      add(Array(whole[..<index] + lost[index...]))
      add(whole.with(.lost, at: index))
      if case .write = pending[index] {
        add(whole.with(.sizeOnly(0), at: index))
        add(whole.with(.sizeOnly(0xa5), at: index))
      }
    }
    if let lastOperation, case .write(_, _, let bytes) = lastOperation {
      let resizes = pending.indices.filter { if case .resize = pending[$0] { true } else { false } }
      for edge in tearingEdges(bytes.count, using: &generator) {
        let torn = whole.with(.torn(edge), at: count - 1)
        add(torn)
        for resize in resizes { add(torn.with(.lost, at: resize)) }
      }
    }
    for (entries, data) in entriesApart(from: whole, and: lost) {
      add(entries)
      add(data)
    }
    for _ in 0..<(count > 1 ? randomCount : 0) {
      add(pending.map { OperationFate.random(for: $0, using: &generator) })
    }
    return ordered
  }

  /// Where a write may be torn: at every sector, at one other byte, and in a short write at every
  /// multiple of 8, where journal entries end.
  private func tearingEdges(
    _ byteCount: Int, using generator: inout SeededGenerator
  ) -> [Int] {
    let step = byteCount <= 1_024 ? 8 : 512
    return Array(stride(from: step, to: byteCount, by: step))
      + (byteCount > 1 ? [Int.random(in: 1..<byteCount, using: &generator)] : [])
  }

  /// Each prefix of the changes to directories, with all of the data and with none of it.
  private func entriesApart(
    from whole: [OperationFate], and lost: [OperationFate]
  ) -> [([OperationFate], [OperationFate])] {
    let entries = pending.indices.filter { pending[$0].directory != nil }
    return (0...entries.count).map { length in
      var withData = whole
      var withoutData = lost
      for (position, index) in entries.enumerated() {
        withData[index] = position < length ? .whole : .lost
        withoutData[index] = withData[index]
      }
      return (withData, withoutData)
    }
  }
}

extension OperationFate {
  static func random(
    for operation: DiskOperation, using generator: inout SeededGenerator
  ) -> OperationFate {
    let draw = Int.random(in: 0..<20, using: &generator)
    if case .write(_, _, let bytes) = operation {
      if draw == 0 { return .sizeOnly(0xa5) }
      if draw == 1 { return .torn(Int.random(in: 0...bytes.count, using: &generator)) }
    }
    return draw < 11 ? .whole : .lost
  }
}

extension [OperationFate] {
  fileprivate func with(_ fate: OperationFate, at index: Int) -> [OperationFate] {
    var fates = self
    fates[index] = fate
    return fates
  }
}
