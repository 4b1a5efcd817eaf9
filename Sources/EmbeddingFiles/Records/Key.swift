/// Keys are their UTF-8 bytes. Swift compares strings by canonical equivalence instead (a
/// composed and a decomposed "é" are equal), so keys are compared here and nowhere else.
package enum KeyOrder {
  package static func areEqual(_ first: String, _ second: String) -> Bool {
    first.utf8.count == second.utf8.count && first.utf8.elementsEqual(second.utf8)
  }

  package static func precedes(_ first: String, _ second: String) -> Bool {
    first.utf8.lexicographicallyPrecedes(second.utf8)
  }
}

/// A key as a dictionary key: equal and hashed by bytes.
package struct Key: Hashable, Comparable, Sendable {
  package let string: String

  package init(_ string: String) {
    self.string = string
  }

  package static func == (first: Key, second: Key) -> Bool {
    KeyOrder.areEqual(first.string, second.string)
  }

  package static func < (first: Key, second: Key) -> Bool {
    KeyOrder.precedes(first.string, second.string)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(KeyHash.hash(string))
  }
}
