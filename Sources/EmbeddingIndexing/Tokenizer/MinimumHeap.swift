/// A binary heap: numbers of which the smallest can be taken, in logarithmic time.
struct MinimumHeap {
  private var numbers: [UInt64] = []

  var first: UInt64? { numbers.first }

  mutating func insert(_ number: UInt64) {
    var index = numbers.count
    numbers.append(number)
    while index > 0 {
      let parent = (index - 1) / 2
      guard number < numbers[parent] else { break }
      numbers[index] = numbers[parent]
      index = parent
    }
    numbers[index] = number
  }

  /// Takes the smallest number out, if there is one.
  mutating func removeFirst() {
    guard let moved = numbers.popLast(), !numbers.isEmpty else { return }
    var index = 0
    while true {
      var child = 2 * index + 1
      guard child < numbers.count else { break }
      if child + 1 < numbers.count, numbers[child + 1] < numbers[child] { child += 1 }
      guard numbers[child] < moved else { break }
      numbers[index] = numbers[child]
      index = child
    }
    numbers[index] = moved
  }
}
