import EmbeddingIndexing
import EmbeddingStores
import EmbeddingTestSupport
import Testing

/// What a plan promises, for sizes in every proportion.
@Suite struct TilePlanTests {
  static let square = PixelSize(width: 224, height: 224)

  static func plan(_ width: Int, _ height: Int) throws -> TilePlan {
    try TilePlan(image: PixelSize(width: width, height: height), input: square)
  }

  @Test(arguments: [
    (4_032, 3_024, 1), (6_000, 4_000, 2), (1_920, 1_080, 2), (1_170, 2_532, 3), (16_000, 4_000, 5),
    (500, 500, 1), (4_000, 52_000, 16), (1_080, 30_000, 16),
  ])
  func usualImagesGetAsManyTilesAsDocumented(width: Int, height: Int, count: Int) throws {
    let wide = try Self.plan(width, height)
    let tall = try Self.plan(height, width)
    #expect(wide.tiles.count == count)
    #expect(tall.tiles.count == count)
    #expect(wide.hasLongTiles == (height == 30_000))
    #expect(wide.hiddenShare == tall.hiddenShare)
    #expect(
      tall.tiles
        == wide.tiles.map {
          Tile(part: $0.part, x: $0.y, y: $0.x, width: $0.height, height: $0.width)
        })
  }

  @Test func aPhotoOf3To2HidesAThirdAndGetsTwoTiles() throws {
    let plan = try Self.plan(6_000, 4_000)
    #expect(plan.hiddenShare == 1.0 / 3)
    #expect(
      plan.tiles == [
        Tile(part: 0, x: 0, y: 0, width: 4_000, height: 4_000),
        Tile(part: 1, x: 2_000, y: 0, width: 4_000, height: 4_000),
      ])
  }

  @Test func anImageThatIsNotElongatedIsOneWholeTile() throws {
    let image = PixelSize(width: 4_032, height: 3_024)
    let plan = try TilePlan(image: image, input: Self.square)
    #expect(plan.tiles == [Tile(part: 0, x: 0, y: 0, width: 4_032, height: 3_024)])
    #expect(plan.hiddenShare == 0.25)
    let strict = try TilePlan(image: image, input: Self.square, acceptedHiddenShare: 0.24)
    #expect(strict.tiles.count == 2)
    let lax = try TilePlan(
      image: PixelSize(width: 9_000, height: 10), input: Self.square, acceptedHiddenShare: 1)
    #expect(lax.tiles.count == 1)
  }

  @Test func smallSizesKeepEveryPromise() throws {
    for width in 1...24 {
      for height in 1...24 {
        for (inputWidth, inputHeight) in [(1, 1), (224, 224), (3, 2), (2, 3), (1, 5), (640, 480)] {
          for (overlap, count) in [(0.0, 2), (0.2, 16), (0.5, 5), (0.9, 65_536)] {
            try Self.expectPromises(
              PixelSize(width: width, height: height),
              input: PixelSize(width: inputWidth, height: inputHeight),
              accepted: 0, overlap: overlap, greatestCount: count)
          }
        }
      }
    }
  }

  @Test func randomSizesKeepEveryPromise() throws {
    var generator = SeededGenerator("randomSizesKeepEveryPromise", seed: 41)
    for _ in 0..<4_000 {
      func side() -> Int {
        let bits = Int.random(in: 1...31, using: &generator)
        return Int.random(in: 1..<(1 << bits), using: &generator)
      }
      try Self.expectPromises(
        PixelSize(width: side(), height: side()), input: PixelSize(width: side(), height: side()),
        accepted: Double.random(in: 0...1, using: &generator),
        overlap: Double.random(in: 0...0.9, using: &generator),
        greatestCount: Int.random(in: 2...40, using: &generator))
    }
  }

  /// Checks one plan by the words of its documentation.
  private static func expectPromises(
    _ image: PixelSize, input: PixelSize, accepted: Double, overlap: Double, greatestCount: Int
  ) throws {
    let plan = try TilePlan(
      image: image, input: input, acceptedHiddenShare: accepted, overlap: overlap,
      greatestTileCount: greatestCount)
    let about: Comment = "\(image) \(input) accepted \(accepted) overlap \(overlap) \(plan)"
    let tiles = plan.tiles
    let first = try #require(tiles.first, about)
    let last = try #require(tiles.last, about)
    #expect((0...1).contains(plan.hiddenShare), about)
    #expect(tiles.count <= greatestCount, about)
    #expect(tiles.map(\.part) == tiles.indices.map { UInt16($0) }, about)
    #expect((first.x, first.y) == (0, 0), about)
    // Each spans the other side, and the last one ends where the image does.
    #expect(last.x + last.width == image.width && last.y + last.height == image.height, about)
    for tile in tiles {
      #expect((tile.width, tile.height) == (first.width, first.height), about)
      #expect(tile.x == 0 || tile.y == 0, about)
    }
    guard tiles.count > 1 else {
      #expect((first.width, first.height) == (image.width, image.height), about)
      return
    }
    #expect(plan.hiddenShare > accepted, about)
    let isHorizontal = last.x > 0
    let length = isHorizontal ? first.width : first.height
    #expect(
      isHorizontal ? first.height == image.height : first.width == image.width, about)
    for (tile, next) in zip(tiles, tiles.dropFirst()) {
      let shift = isHorizontal ? next.x - tile.x : next.y - tile.y
      #expect(shift > 0, about)
      #expect(length - shift >= Int(overlap * Double(length)), about)
    }
    // The length that the input's shape asks for.
    let shaped =
      isHorizontal
      ? Double(image.height) * Double(input.width) / Double(input.height)
      : Double(image.width) * Double(input.height) / Double(input.width)
    if plan.hasLongTiles {
      #expect(Double(length) > shaped && tiles.count == greatestCount, about)
    } else {
      #expect(abs(Double(length) - max(shaped, 1)) <= 0.5 + shaped * 1e-12, about)
    }
  }

  @Test func theHiddenShareIsWhatCountingFinds() throws {
    for (inputWidth, inputHeight) in [(1, 1), (3, 2), (2, 5)] {
      for width in 1...13 {
        for height in 1...13 {
          let plan = try TilePlan(
            image: PixelSize(width: width, height: height),
            input: PixelSize(width: inputWidth, height: inputHeight))
          let counted = Self.countedShare(width, height, inputWidth, inputHeight)
          #expect(
            abs(plan.hiddenShare - counted) < 1e-12,
            "\(width) x \(height) for \(inputWidth) x \(inputHeight)")
        }
      }
    }
  }

  /// Scales the image until it fills the input, as encoders do, and counts the points of a fine
  /// grid that fall outside. The grid is fine enough for the edges to lie between its points.
  private static func countedShare(
    _ width: Int, _ height: Int, _ inputWidth: Int, _ inputHeight: Int
  ) -> Double {
    let parts = 2 * inputWidth * inputHeight
    let scale = max(Double(inputWidth) / Double(width), Double(inputHeight) / Double(height))
    func isHidden(_ point: Int, of side: Int, input: Int) -> Bool {
      let position = (Double(point) + 0.5) / Double(parts) - Double(side) / 2
      return abs(position) * scale > Double(input) / 2
    }
    var hidden = 0
    for x in 0..<width * parts {
      for y in 0..<height * parts
      where isHidden(x, of: width, input: inputWidth) || isHidden(y, of: height, input: inputHeight)
      {
        hidden += 1
      }
    }
    return Double(hidden) / Double(width * parts * height * parts)
  }

  @Test func sizesThatNoImageHasAreRefused() {
    for side in [0, -1, Int.min, Int.max, 1 << 31] {
      for size in [PixelSize(width: side, height: 5), PixelSize(width: 5, height: side)] {
        Self.expectInvalid(image: size)
        Self.expectInvalid(input: size)
      }
    }
  }

  @Test func optionsOutOfRangeAreRefused() {
    for share in [-0.1, 1.1, .nan, .infinity] { Self.expectInvalid(accepted: share) }
    for overlap in [-0.1, 0.91, .nan, -.infinity] { Self.expectInvalid(overlap: overlap) }
    for count in [Int.min, 0, 1, 65_537, .max] { Self.expectInvalid(count: count) }
  }

  private static func expectInvalid(
    image: PixelSize = square, input: PixelSize = square, accepted: Double = 0.3,
    overlap: Double = 0.2, count: Int = 16
  ) {
    let error = #expect(throws: StoreError.self) {
      try TilePlan(
        image: image, input: input, acceptedHiddenShare: accepted, overlap: overlap,
        greatestTileCount: count)
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test func aLineOfPixelsIsCoveredByLongTiles() throws {
    let plan = try Self.plan(1, 1_000_000)
    #expect(plan.tiles.count == 16)
    #expect(plan.hasLongTiles)
    let greatest = Int(Int32.max)
    let line = try TilePlan(
      image: PixelSize(width: greatest, height: 1), input: PixelSize(width: 1, height: greatest),
      overlap: 0.9, greatestTileCount: 65_536)
    #expect(line.tiles.count == 65_536)
    #expect(line.tiles.last.map { $0.x + $0.width } == greatest)
  }
}
