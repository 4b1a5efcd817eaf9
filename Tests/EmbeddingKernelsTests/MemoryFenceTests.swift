import CEmbeddingKernels
import EmbeddingKernels
import Testing

/// No kernel touches a byte that it was not given: everything lies against a page without access,
/// once at its start and once at its end, so a stray read or write ends the test process.
@Suite struct MemoryFenceTests {
  private static let counts = Array(1...200) + [384, 1023, 1024, 2047]
  private let memory = (0..<4).map { _ in FencedMemory(byteCount: 16384) }

  @Test(arguments: availableLevels, [false, true])
  func rowKernelsStayWithinTheirRows(level: KernelLevel, atStart: Bool) {
    let routines = level.routines
    for dimension in Self.counts {
      let rowCount = 3
      let halves = place(0, (rowCount - 1) * (dimension + 1) + dimension, UInt16.self, atStart)
      let query = place(1, dimension, Float.self, atStart)
      let scores = place(2, rowCount, Float.self, atStart)
      routines.dot_f16(halves, 2 * dimension + 2, rowCount, query, dimension, scores)
      #expect(scores[2] == 0)

      let indexes = place(3, rowCount, UInt32.self, atStart)
      for row in 0..<rowCount { indexes[row] = UInt32(rowCount - 1 - row) }
      routines.dot_gather_f16(
        halves, 2 * dimension + 2, indexes, rowCount, query, dimension, scores)
      #expect(scores[2] == 0)

      let floats = place(1, dimension, Float.self, atStart)
      routines.widen_rows_f16(halves, 2 * dimension + 2, 1, dimension, floats, dimension)
      let last = halves + (rowCount - 1) * (dimension + 1)
      routines.widen_rows_f16(last, 2 * dimension + 2, 1, dimension, floats, dimension)
      #expect(floats[dimension - 1] == 0)
    }
  }

  @Test(arguments: availableLevels, [false, true])
  func vectorKernelsStayWithinTheirVectors(level: KernelLevel, atStart: Bool) {
    let routines = level.routines
    for count in Self.counts {
      let floats = place(0, count, Float.self, atStart)
      let halves = place(1, count, UInt16.self, atStart)
      #expect(routines.sum_of_squares_f32(floats, count) == 0)
      routines.convert_f32_f16(floats, count, halves)
      routines.scale_f32_f16(floats, count, 2, halves)
      routines.convert_f16_f32(halves, count, floats)
      #expect(floats[count - 1] == 0)

      let indexes = place(2, count, UInt32.self, atStart)
      #expect(routines.select_f32(floats, count, -1, indexes) == count)

      let values = place(3, count, Int64.self, atStart)
      let words = place(1, (count + 63) / 64, UInt64.self, atStart)
      routines.bitmap_range_i64(values, count, 1, 2, words)
      #expect(words[0] == 0)
      let bytes = place(3, count, UInt8.self, atStart)
      #expect(routines.read_bytes(bytes, count) == 0)
    }
  }

  @Test(arguments: [false, true])
  func productsStayWithinTheirRows(atStart: Bool) {
    for dimension in Self.counts {
      let rowCount = dimension < 1_500 ? 2 : 1
      let rows = place(0, rowCount * dimension, Float.self, atStart)
      let vector = place(1, dimension, Float.self, atStart)
      let products = place(2, rowCount, Float.self, atStart)
      ek_products_f32(rows, rowCount, vector, dimension, products)
      #expect(products[rowCount - 1] == 0)
    }
  }

  /// Zeroed elements against one of the fences of a piece of memory.
  private func place<T: BinaryInteger>(
    _ piece: Int, _ count: Int, _ type: T.Type, _ atStart: Bool
  ) -> UnsafeMutablePointer<T> {
    let start = atStart ? memory[piece].first(count, of: type) : memory[piece].last(count, of: type)
    start.update(repeating: 0, count: count)
    return start
  }

  private func place(
    _ piece: Int, _ count: Int, _ type: Float.Type, _ atStart: Bool
  ) -> UnsafeMutablePointer<Float> {
    let start = atStart ? memory[piece].first(count, of: type) : memory[piece].last(count, of: type)
    start.update(repeating: 0, count: count)
    return start
  }
}
