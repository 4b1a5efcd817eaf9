import EmbeddingStores
import Testing

/// Expects `body` to throw a `StoreError` with this code, whose message is a sentence that names each
/// of `names`.
func expectError(
  _ code: StoreError.Code, naming names: String...,
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
  do {
    try body()
    Issue.record("nothing was thrown instead of \(code.rawValue)", sourceLocation: sourceLocation)
  } catch {
    guard let error = error as? StoreError else {
      Issue.record(error, sourceLocation: sourceLocation)
      return
    }
    #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    #expect(error.message.hasSuffix("."), "\(error)", sourceLocation: sourceLocation)
    for name in names {
      #expect(
        "\(error)".contains(name), "\(error) does not name \(name)", sourceLocation: sourceLocation)
    }
  }
}
