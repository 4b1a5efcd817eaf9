import EmbeddingStores
import Testing

@testable import EmbeddingPostgres

@Suite struct SchemaTests {
  @Test func theScriptHasWhatTheLibraryRuns() {
    let space = EmbeddingSpace(model: "it's", revision: "\\1", dimension: 384)
    let script = PostgresSchema("pho\"tos", space: space, isolatesOwners: true).script
    for part in [
      "CREATE EXTENSION IF NOT EXISTS vector;", "\"pho\"\"tos\"", "embedding halfvec(384) NOT NULL",
      "\"timestamp\" timestamptz", "labels text[]", "metadata bytea",
      "PRIMARY KEY (owner, key, part)", "DEFAULT 'it''s' CHECK (model = 'it''s')", "E'\\\\1'",
      "USING hnsw (embedding halfvec_cosine_ops) WITH (m = 16, ef_construction = 64);",
      "USING gin (labels);", "USING gin (words);", "ENABLE ROW LEVEL SECURITY;",
    ] {
      #expect(script.contains(part), "\(part)")
    }
  }

  @Test func theIndexFollowsTheSpaceAndTheType() {
    func script(
      _ dimension: Int, _ vectorType: PostgresSchema.VectorType,
      _ normalization: EmbeddingSpace.Normalization = .unitLength
    ) -> String {
      let space = EmbeddingSpace(
        model: "m", dimension: dimension, normalization: normalization)
      return PostgresSchema("t", space: space, vectorType: vectorType).script
    }
    #expect(script(2_000, .vector).contains("vector_cosine_ops"))
    #expect(script(384, .halfvec, .none).contains("halfvec_ip_ops"))
    // pgvector indexes no more components than these.
    #expect(script(4_000, .halfvec).contains("hnsw") && !script(4_001, .halfvec).contains("hnsw"))
    #expect(!script(2_001, .vector).contains("hnsw"))
  }

  @Test func whatCanNotBeATableIsRefused() throws {
    let space = EmbeddingSpace(model: "m", dimension: 4)
    var schemas = ["", "nul\0", String(repeating: "x", count: 49)].map {
      PostgresSchema($0, space: space)
    }
    schemas.append(PostgresSchema("t", namespace: "", space: space))
    schemas.append(PostgresSchema("t", space: EmbeddingSpace(model: "m\0", dimension: 4)))
    schemas.append(PostgresSchema("t", space: EmbeddingSpace(model: "m", dimension: 0)))
    schemas.append(
      PostgresSchema("t", space: space, graph: PostgresSchema.Graph(m: 50, efConstruction: 64)))
    for schema in schemas {
      #expect(throws: PostgresError.self) { try PostgresTable(schema, on: PostgresServer("")) }
    }
    for method in [
      SearchMethod.graph(searchedRows: 0), .graph(searchedRows: 1_001), .graph(scannedRows: 0),
    ] {
      #expect(throws: PostgresError.self) {
        try PostgresTable(
          PostgresSchema("t", space: space), on: PostgresServer(""), searchMethod: method)
      }
    }
    #expect(throws: PostgresError.self) {
      try PostgresTable(
        PostgresSchema("t", space: space), on: PostgresServer(""),
        owner: String(repeating: "o", count: 513))
    }
  }
}
