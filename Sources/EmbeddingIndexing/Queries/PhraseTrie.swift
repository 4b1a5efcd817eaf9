/// Phrases by their scalars, so that all that begin at a place are found in one walk.
struct PhraseTrie: Sendable {
  /// A place in the trie, reached by the first scalars of some phrase.
  struct Node: Hashable, Sendable {
    fileprivate var number: Int

    /// The node of no scalars.
    static let root = Node(number: 0)
  }

  private struct Step: Hashable, Sendable {
    var from: Node
    var by: Unicode.Scalar
  }

  private var steps: [Step: Node] = [:]
  private var values: [Node: Int] = [:]

  /// Gives the phrase a value, unless it has one already; returns the one it has.
  mutating func insert(_ phrase: some Sequence<Unicode.Scalar>, _ value: Int) -> Int {
    var node = Node.root
    for scalar in phrase {
      let step = Step(from: node, by: scalar)
      node = steps[step] ?? Node(number: steps.count + 1)
      steps[step] = node
    }
    let present = values[node] ?? value
    values[node] = present
    return present
  }

  /// Where more scalars lead; nil when no phrase goes on like that.
  func node(from node: Node, by scalars: some Sequence<Unicode.Scalar>) -> Node? {
    var node = node
    for scalar in scalars {
      guard let next = steps[Step(from: node, by: scalar)] else { return nil }
      node = next
    }
    return node
  }

  /// The value of the phrase that ends here, if one does.
  func value(at node: Node) -> Int? { values[node] }
}
