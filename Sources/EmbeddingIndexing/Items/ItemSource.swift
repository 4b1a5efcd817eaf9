/// The items that an app has, wherever they are: a photo library, a folder, a database.
///
/// A source describes all of its items, in pages, and loads the content of one when asked. Only pages
/// and one or two batches of contents are in memory at a time.
public protocol ItemSource<Input>: Sendable {
  /// What is encoded, such as an image or a `String`.
  associatedtype Input: Sendable

  /// All items, in pages of any size, in any order.
  ///
  /// Called once for a plan, and again for a run that has something to do. Each page should be made when it is asked
  /// for: `AsyncThrowingStream(unfolding:)` does that. When not everything can be listed, the stream
  /// must throw: items that are missing from a stream that ended well are removed from the store.
  func pages() -> AsyncThrowingStream<[SourceItem], any Error>

  /// The content of one item, as what the encoder takes; called for a few items at a time, on any
  /// thread.
  ///
  /// Most items have one input. Several, at most 4,096, become the parts 0, 1, 2... of one key, such as
  /// the tiles of a panorama or the passages of a document; a search finds the best of them.
  ///
  /// - Throws: `ItemUnavailable` when the content is not on this device now, so that the item is
  ///   worth another try without having changed; any other error when it can not be encoded as it
  ///   is. Should end early when its task is cancelled.
  func inputs(of item: SourceItem) async throws -> [Input]
}

/// Says that an item's content can not be had now, such as a photo whose original is in the cloud.
public struct ItemUnavailable: Error, Hashable, Sendable {
  /// Why, for the ledger of failures.
  public var reason: String

  /// Gives the reason.
  public init(_ reason: String) {
    self.reason = reason
  }
}
