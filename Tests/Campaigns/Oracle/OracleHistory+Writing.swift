internal import EmbeddingStores
internal import EmbeddingTestSupport

extension OracleHistory {
  mutating func write(_ operation: OracleOperation) throws {
    var next = state.model
    switch operation {
    case .put(let records): try note(store.put(records), puts: records)
    case .insert(let records):
      let identities = records.map { StoreModel.Identity($0.key, $0.part) }
      let isNew =
        Set(identities).count == identities.count
        && identities.allSatisfy { next.records[$0] == nil }
      if isNew {
        try note(store.insert(records), puts: records)
      } else {
        try expect(.duplicateKey) { _ = try store.insert(records) }
      }
    case .refused(let records, let code, let isInsertion):
      // Inserting looks at every record before it looks for keys.
      try expect(code) { _ = try isInsertion ? store.insert(records) : store.put(records) }
    case .update(let updates):
      let isComplete = updates.allSatisfy { next.update($0) }
      guard isComplete else {
        return try expect(.notFound) { _ = try store.update(updates) }
      }
      let identities = updates.map { StoreModel.Identity($0.key, $0.part) }
      try note(
        store.update(updates), next, changed: identities, putCount: updates.count, removedCount: 0)
    case .remove(let keys):
      let count = keys.reduce(0) { $0 + next.remove($1) }
      try note(store.remove(keys), next, removedCount: count)
    case .removePart(let key, let part):
      let count = next.remove(key, part: part) ? 1 : 0
      try note(store.remove(key, part: part), next, removedCount: count)
    case .removeAll:
      next.removeAll()
      try note(store.removeAll(), next, removedCount: state.model.count)
    case .reconcile(let kept, let share):
      let gone = next.keys.subtracting(kept.map { Array($0.utf8) })
      guard Double(gone.count) <= share * Double(next.keys.count) else {
        return try expect(.tooManyRemovals) {
          _ = try store.reconcile(with: kept, removingAtMost: share)
        }
      }
      let count = gone.reduce(0) { $0 + next.remove(String(decoding: $1, as: UTF8.self)) }
      try note(
        store.reconcile(with: kept, removingAtMost: share), next, removedCount: count)
    default: break
    }
  }

  /// Nothing may change where a call throws, and the code must be the right one.
  func expect(_ code: StoreError.Code, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as StoreError {
      try claim(error.code == code, "\(error.code.rawValue) instead of \(code.rawValue)")
      let number = try store.snapshot().changeNumber
      return try claim(number == state.changeNumber, "a call that threw changed something")
    }
    throw FaultFinding("\(code.rawValue) was to be thrown")
  }

  private mutating func note(_ commit: Commit, puts records: [Record]) throws {
    var next = state.model
    for record in records { next.put(record) }
    let identities = Set(records.map { StoreModel.Identity($0.key, $0.part) })
    // From here on the model has the row as it was stored.
    for identity in identities {
      guard var record = next.records[identity] else { continue }
      let stored = try store.vector(for: record.key, part: record.part) ?? []
      try claim(
        isRounded(record.vector, to: stored), "\(record.key) was stored as another vector")
      record.vector = stored
      next.put(record)
    }
    try note(
      commit, next, changed: Array(identities), putCount: records.count, removedCount: 0)
  }

  private mutating func note(
    _ commit: Commit, _ next: StoreModel, changed: [StoreModel.Identity] = [], putCount: Int = 0,
    removedCount: Int
  ) throws {
    try claim(
      commit.putCount == putCount && commit.removedCount == removedCount,
      "\(commit), not \(putCount) put and \(removedCount) removed")
    let number = try store.snapshot().changeNumber
    try claim(commit.changeNumber == number, "the commit is \(commit), the store at \(number)")
    let isChange = putCount + removedCount > 0
    try claim(
      isChange ? number > state.changeNumber : number == state.changeNumber,
      "change number \(number) after \(state.changeNumber)")
    state.model = next
    state.changeNumber = number
    state.note(changed)
    if isChange { commitNumbers.append(number) }
  }

  /// Whether a stored row is `vector`, divided by its length where the space asks for it, and
  /// rounded to Float16.
  private func isRounded(_ vector: [Float], to stored: [Float]) -> Bool {
    guard vector.count == stored.count else { return false }
    if world.isExact { return vector == stored }
    let isNormalized = world.space.normalization == .unitLength
    let length = isNormalized ? StoreModel.dot(vector, vector).squareRoot() : 1
    return zip(vector, stored).allSatisfy { component, stored in
      let exact = Double(component) / length
      // Half a unit in the last of 11 digits, or half the smallest subnormal number.
      return abs(Double(stored) - exact) <= max(abs(exact) * 0x1.001p-11, 0x1.001p-25)
    }
  }
}
