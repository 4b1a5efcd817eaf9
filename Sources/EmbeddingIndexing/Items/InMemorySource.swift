/// Items that are in memory already, such as a few hundred notes.
public struct InMemorySource<Input: Sendable>: ItemSource {
  private let items: [SourceItem]
  private let inputs: [ItemKey: [Input]]
  private let pageSize = 1_000

  /// Lists items with the inputs of each. Of two items with one key the first counts.
  public init(_ items: [(item: SourceItem, inputs: [Input])]) {
    self.items = items.map(\.item)
    inputs = Dictionary(
      items.map { (ItemKey($0.item.key), $0.inputs) }, uniquingKeysWith: { first, _ in first })
  }

  /// Lists items with one input each.
  public init(_ items: [(item: SourceItem, input: Input)]) {
    self.init(items.map { (item: $0.item, inputs: [$0.input]) })
  }

  /// All items, 1,000 to a page.
  public func pages() -> AsyncThrowingStream<[SourceItem], any Error> {
    let cursor = PageCursor(items, pageSize: pageSize)
    return AsyncThrowingStream { await cursor.next() }
  }

  /// The inputs that the item was listed with.
  public func inputs(of item: SourceItem) async throws -> [Input] {
    guard let inputs = inputs[ItemKey(item.key)] else {
      throw ItemUnavailable("No item with the key \"\(item.key)\" is listed.")
    }
    return inputs
  }
}

private actor PageCursor {
  private var rest: ArraySlice<SourceItem>
  private let pageSize: Int

  init(_ items: [SourceItem], pageSize: Int) {
    rest = items[...]
    self.pageSize = pageSize
  }

  func next() -> [SourceItem]? {
    guard !rest.isEmpty else { return nil }
    defer { rest = rest.dropFirst(pageSize) }
    return Array(rest.prefix(pageSize))
  }
}
