internal import EmbeddingStores

/// An item with a vector for each of its inputs, or with the reason why it has none.
struct EncodedItem {
  let item: SourceItem
  let vectors: Result<[[Float]], ItemFailure>
}

/// Encodes one batch. When the encoder does not manage the batch as a whole, each item is tried alone,
/// so that one that can not be encoded costs the others nothing but time.
struct BatchEncoder<Encoder: EmbeddingEncoder> where Encoder.Input: Sendable {
  let encoder: Encoder
  /// How long one call may take.
  let timeLimit: Duration
  let clock: RunClock

  /// The items in their order.
  ///
  /// - Throws: `RunEnded` when the encoder was interrupted, by a cancellation or the end of the time
  ///   budget: that says nothing about the items. `StoreError` with `.spaceMismatch` when the encoder is
  ///   of another space now.
  func encode(
    _ loaded: [LoadedItem<Encoder.Input>], in space: EmbeddingSpace
  ) async throws -> [EncodedItem] {
    guard encoder.space == space else {
      throw StoreError(
        .spaceMismatch,
        "The encoder is of \(encoder.space.summary) now, the store of \(space.summary). Nothing of "
          + "this batch was stored.")
    }
    let inputs = loaded.flatMap { (try? $0.inputs.get()) ?? [] }
    guard !inputs.isEmpty else { return loaded.map { encoded($0, []) } }
    do {
      var vectors = try await vectors(of: inputs)[...]
      return loaded.map { item in
        let count = (try? item.inputs.get())?.count ?? 0
        defer { vectors = vectors.dropFirst(count) }
        return encoded(item, Array(vectors.prefix(count)))
      }
    } catch {
      try clock.checkMayGoOn()
      return try await encodeOneByOne(loaded, batchError: error)
    }
  }

  private func encodeOneByOne(
    _ loaded: [LoadedItem<Encoder.Input>], batchError: any Error
  ) async throws -> [EncodedItem] {
    let isAlone = loaded.count { (try? $0.inputs.get()) != nil } == 1
    var result: [EncodedItem] = []
    for item in loaded {
      guard case .success(let inputs) = item.inputs else {
        result.append(encoded(item, []))
        continue
      }
      do {
        if isAlone { throw batchError }
        result.append(encoded(item, try await vectors(of: inputs)))
      } catch {
        try clock.checkMayGoOn()
        result.append(EncodedItem(item: item.item, vectors: .failure(failure(error))))
      }
    }
    return result
  }

  private func vectors(of inputs: [Encoder.Input]) async throws -> [[Float]] {
    try await withTimeLimit(clock.shortened(timeLimit)) { [encoder] in
      try await encoder.embeddings(of: inputs).map(\.vector)
    }
  }

  private func encoded(_ item: LoadedItem<Encoder.Input>, _ vectors: [[Float]]) -> EncodedItem {
    EncodedItem(item: item.item, vectors: item.inputs.map { _ in vectors })
  }

  private func failure(_ error: any Error) -> ItemFailure {
    error is TimedOut
      ? .broken("Encoding it took longer than \(timeLimit).") : ItemFailure(error)
  }
}
