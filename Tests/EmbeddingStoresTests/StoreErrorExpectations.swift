import EmbeddingStores
import Testing

/// Expects `body` to throw a `StoreError` with this code, whose message is a sentence that names
/// each of `names`, and gives the error back to look further.
@discardableResult
func expectError(
  _ code: StoreError.Code, naming names: String...,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Void
) -> StoreError? {
  do {
    try body()
    Issue.record("nothing was thrown instead of \(code.rawValue)", sourceLocation: sourceLocation)
    return nil
  } catch {
    #expect(error is StoreError, sourceLocation: sourceLocation)
    return checked(error as? StoreError, code, names, sourceLocation)
  }
}

/// The same for what has to be awaited.
@discardableResult
func expectError(
  _ code: StoreError.Code, naming names: String...,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () async throws -> Void
) async -> StoreError? {
  do {
    try await body()
    Issue.record("nothing was thrown instead of \(code.rawValue)", sourceLocation: sourceLocation)
    return nil
  } catch {
    #expect(error is StoreError, sourceLocation: sourceLocation)
    return checked(error as? StoreError, code, names, sourceLocation)
  }
}

private func checked(
  _ error: StoreError?, _ code: StoreError.Code, _ names: [String],
  _ sourceLocation: SourceLocation
) -> StoreError? {
  guard let error else { return nil }
  #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
  #expect(error.message.hasSuffix("."), "\(error)", sourceLocation: sourceLocation)
  #expect(error.message.count >= 20, "\(error)", sourceLocation: sourceLocation)
  let text = "\(error)"
  for name in names {
    #expect(text.contains(name), "\(error) does not name \(name)", sourceLocation: sourceLocation)
  }
  return error
}
