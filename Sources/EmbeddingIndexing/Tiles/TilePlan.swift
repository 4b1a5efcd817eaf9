public import EmbeddingStores

/// How an image is cut up for an encoder that takes in one fixed shape, so that nothing at its ends
/// is missed.
///
/// Such encoders look at the largest centred rectangle of their shape: of a photo of 3:2 a square
/// one never sees a third. A plan says how much is hidden, and covers an image of which too much is
/// with tiles that overlap. Let an `ItemSource` give them as the inputs of the image, so that they
/// become the parts of one record, and a search finds the image by its best part.
///
/// With a square input and the defaults:
///
///     photo 4:3         1/4 hidden    1 tile
///     photo 3:2         1/3 hidden    2 tiles
///     video 16:9       7/16 hidden    2 tiles
///     screen 19.5:9    7/13 hidden    3 tiles
///     panorama 4:1      3/4 hidden    5 tiles
public struct TilePlan: Equatable, Sendable {
  /// The share of the image's area outside the largest centred rectangle of the input's shape,
  /// 0...1.
  public let hiddenShare: Double

  /// The tiles, by part; together they cover every pixel.
  ///
  /// A single tile is the whole image, not its centre: an encoder then treats it as it would
  /// without a plan, and one that squeezes images into its shape hides nothing.
  ///
  /// Two or more have one size, lie in one line along the image's longer side (compared with the
  /// input) and span the other side. They have the input's shape, to the nearest pixel; for what
  /// happens beyond the greatest number of tiles see `hasLongTiles`.
  public let tiles: [Tile]

  /// Whether the greatest number of tiles did not do, so that they were lengthened to cover the
  /// image all the same. Scale such tiles to the input; a centred crop of them would hide something.
  public let hasLongTiles: Bool

  /// Plans the tiles of an image.
  ///
  /// - Parameters:
  ///   - image: its size as shown, each side in 1...2,147,483,647.
  ///   - input: what the encoder takes in, such as 224 x 224; the same range.
  ///   - acceptedHiddenShare: an image is cut up when more of it would be hidden, 0...1. The
  ///     default leaves a photo of 4:3 whole and gives one of 3:2 two tiles; 0.4 leaves both whole.
  ///   - overlap: the share of a tile, 0...0.9, that its neighbour shows too, rounded down to
  ///     pixels; what is not longer is never cut apart. Usually tiles overlap by more.
  ///   - greatestTileCount: 2...65,536. The default does for 13:1 with a square input.
  /// - Throws: `.invalidArgument`, naming the argument that is out of its range.
  /// - Complexity: one step for each tile.
  public init(
    image: PixelSize, input: PixelSize, acceptedHiddenShare: Double = 0.3, overlap: Double = 0.2,
    greatestTileCount: Int = 16
  ) throws(StoreError) {
    try Self.check(image, "An image")
    try Self.check(input, "An encoder's input")
    guard (0...1).contains(acceptedHiddenShare) else {
      throw StoreError(
        .invalidArgument, "The accepted hidden share is within 0...1, not \(acceptedHiddenShare).")
    }
    guard (0...0.9).contains(overlap) else {
      throw StoreError(.invalidArgument, "The overlap is within 0...0.9, not \(overlap).")
    }
    guard (2...65_536).contains(greatestTileCount) else {
      throw StoreError(
        .invalidArgument, "The greatest tile count is within 2...65,536, not \(greatestTileCount).")
    }
    let row = TileRow(image: image, input: input, overlap: overlap)
    hiddenShare = row.hiddenShare
    let tiling = hiddenShare > acceptedHiddenShare ? row.tiling(atMost: greatestTileCount) : nil
    hasLongTiles = tiling?.isLong ?? false
    tiles =
      tiling?.tiles
      ?? [Tile(part: 0, x: 0, y: 0, width: image.width, height: image.height)]
  }

  private static func check(_ size: PixelSize, _ name: String) throws(StoreError) {
    let sides = 1...Int(Int32.max)
    guard sides.contains(size.width), sides.contains(size.height) else {
      throw StoreError(
        .invalidArgument,
        "\(name) has sides of 1 to 2,147,483,647 pixels, not \(size.width) x \(size.height).")
    }
  }
}
