/// An item's key as a dictionary key: equal and hashed by its UTF-8 bytes, as stores compare keys.
/// Swift's strings are equal by canonical equivalence instead.
struct ItemKey: Hashable, Sendable {
  let string: String

  init(_ string: String) {
    self.string = string
  }

  static func == (first: ItemKey, second: ItemKey) -> Bool {
    first.string.utf8.elementsEqual(second.string.utf8)
  }

  func hash(into hasher: inout Hasher) {
    // Equivalent strings share a hash and are told apart by ==.
    hasher.combine(string)
  }
}
