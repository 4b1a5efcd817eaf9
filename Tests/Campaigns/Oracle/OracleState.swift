internal import EmbeddingStores
internal import EmbeddingTestSupport

/// What a store, a reader or a snapshot should hold, and since when.
struct OracleState {
  var model = StoreModel()
  /// The number of the commit that put or updated a record last.
  private(set) var changedAt: [StoreModel.Identity: UInt64] = [:]
  var changeNumber: UInt64 = 0

  /// The rows changed after a commit.
  func identities(changedSince number: UInt64) -> Set<StoreModel.Identity> {
    Set(model.records.keys.filter { changedAt[$0, default: 0] > number })
  }

  mutating func note(_ changed: [StoreModel.Identity]) {
    for identity in changed { changedAt[identity] = changeNumber }
  }
}

/// Checks a claim, and says what is wrong where it does not hold.
func claim(_ isTrue: Bool, _ otherwise: @autoclosure () -> String) throws(FaultFinding) {
  if !isTrue { throw FaultFinding(otherwise()) }
}
