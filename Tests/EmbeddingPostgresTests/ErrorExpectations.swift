import EmbeddingPostgres
import EmbeddingStores
import Testing

/// Expects a `PostgresError` with a code, and answers it.
@discardableResult
func expect<Value>(
  throwsCode code: PostgresError.Code, sourceLocation: SourceLocation = #_sourceLocation,
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
) async -> PostgresError? {
  do {
    _ = try await body()
    Issue.record("nothing was thrown", sourceLocation: sourceLocation)
  } catch let error as PostgresError {
    #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    return error
  } catch {
    Issue.record(error, sourceLocation: sourceLocation)
  }
  return nil
}
