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
  let space: EmbeddingSpace
  /// Inputs of one call.
  let callSize: Int
  /// How long one call may take.
  let timeLimit: Duration
  let clock: RunClock

  struct Outcome {
    /// In the order of the batch.
    var items: [EncodedItem]
    /// What the encoder threw, when it managed not one of several items: then it says more about the
    /// encoder than about them, and they count as unavailable.
    var encoderError: (any Error)?
  }

  /// - Throws: `RunEnded` when the encoder was interrupted, by a cancellation or the end of the time
  ///   budget: that says nothing about the items. `StoreError` with `.spaceMismatch` when the encoder is
  ///   of another space now.
  func encode(_ loaded: [LoadedItem<Encoder.Input>]) async throws -> Outcome {
    guard encoder.space == space else {
      throw StoreError(
        .spaceMismatch,
        "The encoder is of \(encoder.space.summary) now, the store of \(space.summary). Nothing of "
          + "this batch was stored.")
    }
    let inputs = loaded.flatMap { $0.loadedInputs }
    do {
      var vectors = try await vectors(of: inputs)[...]
      return Outcome(
        items: loaded.map { item in
          let count = item.loadedInputs.count
          defer { vectors = vectors.dropFirst(count) }
          return encoded(item, Array(vectors.prefix(count)))
        })
    } catch {
      try clock.checkMayGoOn()
      return try await encodeOneByOne(loaded, batchError: error)
    }
  }

  private func encodeOneByOne(
    _ loaded: [LoadedItem<Encoder.Input>], batchError: any Error
  ) async throws -> Outcome {
    let triedCount = loaded.count { !$0.loadedInputs.isEmpty }
    var items: [EncodedItem] = []
    var encodedCount = 0
    for item in loaded {
      guard !item.loadedInputs.isEmpty else {
        items.append(encoded(item, []))
        continue
      }
      do {
        if triedCount == 1 { throw batchError }
        items.append(encoded(item, try await vectors(of: item.loadedInputs)))
        encodedCount += 1
      } catch {
        try clock.checkMayGoOn()
        items.append(EncodedItem(item: item.item, vectors: .failure(failure(error))))
      }
    }
    guard encodedCount == 0, triedCount > 1 else { return Outcome(items: items) }
    return Outcome(items: items.map(\.withoutBlame), encoderError: batchError)
  }

  private func vectors(of inputs: [Encoder.Input]) async throws -> [[Float]] {
    var vectors: [[Float]] = []
    for start in stride(from: 0, to: inputs.count, by: callSize) {
      let call = Array(inputs[start..<min(start + callSize, inputs.count)])
      vectors += try await withTimeLimit(timeLimit) { [encoder] in
        try await encoder.embeddings(of: call).map(\.vector)
      }
    }
    return vectors
  }

  private func encoded(_ item: LoadedItem<Encoder.Input>, _ vectors: [[Float]]) -> EncodedItem {
    EncodedItem(item: item.item, vectors: item.inputs.map { _ in vectors })
  }

  private func failure(_ error: any Error) -> ItemFailure {
    error is TimedOut
      ? .broken("Encoding it took longer than \(timeLimit).") : ItemFailure(error)
  }
}

extension LoadedItem {
  /// Its inputs; none when it could not be loaded.
  var loadedInputs: [Input] { (try? inputs.get()) ?? [] }
}

extension EncodedItem {
  /// The same, but unavailable when it was broken.
  fileprivate var withoutBlame: EncodedItem {
    EncodedItem(item: item, vectors: vectors.mapError { .unavailable($0.reason) })
  }
}
