/// The geometry of tiles along the side on which a centred crop would hide something.
///
/// Sides are below 2^31 and are kept in 64 bits, so that no product of two overflows.
struct TileRow {
  /// The image's side along which tiles lie, and the other one.
  private let length: Int64
  private let breadth: Int64
  /// The input's sides, in the same order.
  private let inputLength: Int64
  private let inputBreadth: Int64
  private let isHorizontal: Bool
  private let overlap: Double

  init(image: PixelSize, input: PixelSize, overlap: Double) {
    let width = Int64(image.width)
    let height = Int64(image.height)
    let inputWidth = Int64(input.width)
    let inputHeight = Int64(input.height)
    isHorizontal = width * inputHeight >= height * inputWidth
    length = isHorizontal ? width : height
    breadth = isHorizontal ? height : width
    inputLength = isHorizontal ? inputWidth : inputHeight
    inputBreadth = isHorizontal ? inputHeight : inputWidth
    self.overlap = overlap
  }

  /// The crop spans the breadth, so its share of the length is its share of the area.
  var hiddenShare: Double {
    let visible = breadth * inputLength
    let all = length * inputBreadth
    return Double(all - visible) / Double(all)
  }

  /// Two or more tiles of one size that cover the image; nil when one tile of the input's shape
  /// does, to the nearest pixel.
  func tiling(atMost greatestCount: Int) -> (tiles: [Tile], isLong: Bool)? {
    let shaped = (2 * breadth * inputLength / inputBreadth + 1) / 2
    let tileLength = min(max(shaped, 1), length)
    guard tileLength < length else { return nil }
    let step = step(of: tileLength)
    let count = 1 + (length - tileLength + step - 1) / step
    guard count > greatestCount else {
      return (tiles(count, length: tileLength), false)
    }
    let greatestCount = Int64(greatestCount)
    return (tiles(greatestCount, length: shortestTile(of: greatestCount)), true)
  }

  /// The greatest distance between the starts of neighbours of which each has `tileLength`: at
  /// least 1, because the overlap is at most 0.9. Grows with the length.
  private func step(of tileLength: Int64) -> Int64 {
    tileLength - Int64(overlap * Double(tileLength))
  }

  /// The least length with which `count` tiles cover the image; found by halving.
  private func shortestTile(of count: Int64) -> Int64 {
    var tooShort: Int64 = 0
    var longEnough = length
    while longEnough - tooShort > 1 {
      let middle = (tooShort + longEnough) / 2
      if middle + (count - 1) * step(of: middle) >= length {
        longEnough = middle
      } else {
        tooShort = middle
      }
    }
    return longEnough
  }

  /// Evenly spread tiles: the first begins with the image, and the last ends with it. Starts are
  /// never further apart than a step, because that is a whole number.
  private func tiles(_ count: Int64, length tileLength: Int64) -> [Tile] {
    (0..<count).map { index in
      let start = Int(index * (length - tileLength) / (count - 1))
      return Tile(
        part: UInt16(index), x: isHorizontal ? start : 0, y: isHorizontal ? 0 : start,
        width: Int(isHorizontal ? tileLength : breadth),
        height: Int(isHorizontal ? breadth : tileLength))
    }
  }
}
