/// A width and a height in whole pixels, of an image or of what an encoder takes in.
public struct PixelSize: Hashable, Sendable {
  /// Pixels from left to right, as the image is shown: after its orientation was applied.
  public var width: Int
  /// Pixels from top to bottom, as the image is shown.
  public var height: Int

  /// Joins a width and a height. They are checked when they are used.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}
