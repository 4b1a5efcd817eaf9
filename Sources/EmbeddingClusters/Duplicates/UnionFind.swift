/// Disjoint sets of the numbers below a count, joined pair by pair (Tarjan 1975, with path halving).
struct UnionFind {
  private var parents: [Int]
  private var sizes: [Int]

  init(count: Int) {
    parents = Array(0..<count)
    sizes = [Int](repeating: 1, count: count)
  }

  /// The number that stands for the set of `number`.
  mutating func root(of number: Int) -> Int {
    var number = number
    while parents[number] != number {
      parents[number] = parents[parents[number]]
      number = parents[number]
    }
    return number
  }

  mutating func join(_ first: Int, _ second: Int) {
    let (first, second) = (root(of: first), root(of: second))
    guard first != second else { return }
    let (larger, smaller) = sizes[first] >= sizes[second] ? (first, second) : (second, first)
    parents[smaller] = larger
    sizes[larger] += sizes[smaller]
  }
}
