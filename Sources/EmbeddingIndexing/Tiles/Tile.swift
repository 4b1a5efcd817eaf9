/// A rectangle of an image that is encoded by itself and becomes one part of its record.
public struct Tile: Hashable, Sendable {
  /// The part of the record: 0 for the leftmost or topmost tile, then one more for each.
  public var part: UInt16
  /// Pixels between the left edges of the image and the tile.
  public var x: Int
  /// Pixels between the top edges of the image and the tile.
  public var y: Int
  /// Pixels from left to right.
  public var width: Int
  /// Pixels from top to bottom.
  public var height: Int

  /// Names a rectangle and the part it becomes.
  public init(part: UInt16, x: Int, y: Int, width: Int, height: Int) {
    self.part = part
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }
}
