public import EmbeddingStores

extension Sequence<Match> {
  /// These matches with only the first of each group of near-duplicates, such as one per burst.
  ///
  /// Groups tell by key, whatever the part, so they may come from another store whose records share
  /// keys with the one that was searched. Matches of no group stay.
  public func onePerGroup(of groups: [DuplicateGroup]) -> [Match] {
    var groupsOfKey: [RowIdentity: [Int]] = [:]
    for (number, group) in groups.enumerated() {
      for member in group.members {
        groupsOfKey[RowIdentity(key: member.key), default: []].append(number)
      }
    }
    var seen: Set<Int> = []
    return filter { match in
      let numbers = groupsOfKey[RowIdentity(key: match.key)] ?? []
      guard seen.isDisjoint(with: numbers) else { return false }
      seen.formUnion(numbers)
      return true
    }
  }
}
