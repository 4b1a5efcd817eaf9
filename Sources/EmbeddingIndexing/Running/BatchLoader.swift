internal import EmbeddingStores

/// An item with its inputs, or with the reason why it has none.
struct LoadedItem<Input: Sendable>: Sendable {
  let item: SourceItem
  let inputs: Result<[Input], ItemFailure>
}

/// Loads the contents of one batch, a few at a time.
struct BatchLoader<Source: ItemSource>: Sendable {
  let source: Source
  let concurrentLoadCount: Int
  let timeLimit: Duration

  /// Parts of one item: a store's look-ups of a key cost in proportion to its parts.
  private static var greatestPartCount: Int { 4_096 }

  /// The items in their order. What it gives when its task is cancelled means nothing.
  func load(_ items: [SourceItem]) async -> [LoadedItem<Source.Input>] {
    await withTaskGroup(of: (Int, Result<[Source.Input], ItemFailure>).self) { group in
      var results = [Result<[Source.Input], ItemFailure>?](repeating: nil, count: items.count)
      var next = 0
      while next < min(concurrentLoadCount, items.count) {
        add(items[next], at: next, to: &group)
        next += 1
      }
      while let (index, result) = await group.next() {
        results[index] = result
        if next < items.count {
          add(items[next], at: next, to: &group)
          next += 1
        }
      }
      return zip(items, results).map { item, result in
        LoadedItem(item: item, inputs: result ?? .failure(.broken("It was not loaded.")))
      }
    }
  }

  private func add(
    _ item: SourceItem, at index: Int,
    to group: inout TaskGroup<(Int, Result<[Source.Input], ItemFailure>)>
  ) {
    group.addTask { (index, await load(item)) }
  }

  private func load(_ item: SourceItem) async -> Result<[Source.Input], ItemFailure> {
    do {
      let inputs = try await withTimeLimit(timeLimit) { try await source.inputs(of: item) }
      guard !inputs.isEmpty else { return .failure(.broken("The source gave no input for it.")) }
      guard inputs.count <= Self.greatestPartCount else {
        return .failure(
          .broken("It has \(inputs.count) inputs; at most \(Self.greatestPartCount) are indexed."))
      }
      return .success(inputs)
    } catch is TimedOut {
      return .failure(.unavailable("Loading it took longer than \(timeLimit)."))
    } catch is CancellationError {
      return .failure(.unavailable("Loading it was cancelled."))
    } catch {
      return .failure(ItemFailure(error))
    }
  }
}
