/// What the codes of a generation refer to: a direction u near the mean row, and a matrix T whose
/// rows are nearly orthonormal and sorted so that the first ones see most of what rows differ in.
///
/// ```
/// offset  size
///      0     4  1
///      4     4  dimension d
///      8     4  rows D of T
///     12     4  rows of codes in a chunk
///     16     4  Float32: no less than the Frobenius norm of T·Tᵀ - 1
///     20    44  zero
///     64  4·n   Float32: the unit of every 32 rotated components, n = ⌈D/32⌉
///         4·d   Float32: u
///       4·D·d   Float32: T, row after row
/// ```
package struct CodeBasis: Sendable {
  package let layout: CodeLayout
  /// No less than ‖T·Tᵀ - 1‖.
  let defect: Float
  let units: [Float]
  let direction: [Float]
  let rotation: [Float]

  private static let headerByteCount = 64
  /// Above this T is not nearly orthonormal, and bounds would be of no use.
  static let largestDefect: Float = 0.01

  /// - Parameters:
  ///   - units: One for every 32 rotated components, positive.
  ///   - direction: u, d components.
  ///   - rotation: T, a row for each rotated component.
  package init(_ layout: CodeLayout, units: [Float], direction: [Float], rotation: [Float]) {
    precondition(
      units.count == layout.unitCount && direction.count == layout.dimension
        && rotation.count == layout.rotatedCount * layout.dimension,
      "the parts of a basis have other sizes")
    self.layout = layout
    self.units = units
    self.direction = direction
    self.rotation = rotation
    defect = orthonormalityDefect(
      rotation, count: layout.rotatedCount, dimension: layout.dimension)
  }

  package static func byteCount(_ layout: CodeLayout) -> Int {
    headerByteCount
      + 4 * (layout.unitCount + layout.dimension + layout.rotatedCount * layout.dimension)
  }

  package var bytes: [UInt8] {
    var words = Self.firstWords(layout) + [defect.bitPattern]
    words += repeatElement(0, count: Self.headerByteCount / 4 - words.count)
    return [UInt8](unsafeUninitializedCapacity: Self.byteCount(layout)) { buffer, count in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      func append(_ word: UInt32) {
        bytes.storeBytes(of: word.littleEndian, toByteOffset: count, as: UInt32.self)
        count += 4
      }
      for word in words { append(word) }
      for numbers in [units, direction, rotation] {
        for number in numbers { append(number.bitPattern) }
      }
    }
  }

  private static func firstWords(_ layout: CodeLayout) -> [UInt32] {
    [1, layout.dimension, layout.rotatedCount, CodeLayout.chunkRowCount].map {
      UInt32(truncatingIfNeeded: $0)
    }
  }

  /// A basis where it lies in a file.
  struct View {
    let defect: Float
    let units: UnsafePointer<Float>
    let direction: UnsafePointer<Float>
    let rotation: UnsafePointer<Float>
  }

  /// Calls `body` with the basis that `bytes` hold; nil when they are not one of this layout.
  static func withView<Result>(
    of bytes: RawSpan, _ layout: CodeLayout, _ body: (View) -> Result?
  ) -> Result? {
    guard bytes.byteCount == byteCount(layout) else { return nil }
    return bytes.withUnsafeBytes { bytes in
      // A section begins at a cache line, and so do files in memory.
      guard let base = bytes.baseAddress, Int(bitPattern: base) % 4 == 0 else { return nil }
      for (index, word) in firstWords(layout).enumerated() {
        guard UInt32(littleEndian: bytes.load(fromByteOffset: 4 * index, as: UInt32.self)) == word
        else { return nil }
      }
      let defect = bytes.load(fromByteOffset: 16, as: Float.self)
      let units = (base + headerByteCount).assumingMemoryBound(to: Float.self)
      let direction = units + layout.unitCount
      return body(
        View(
          defect: defect, units: units, direction: direction,
          rotation: direction + layout.dimension))
    }
  }
}
