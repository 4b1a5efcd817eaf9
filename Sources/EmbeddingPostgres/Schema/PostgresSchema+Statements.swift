internal import EmbeddingStores

extension PostgresSchema {
  static let extensionStatement = "CREATE EXTENSION IF NOT EXISTS vector"

  /// Makes the extension and the tables, without the indexes that are better made when rows are in.
  public var tableStatements: [String] {
    let model = SQLName.literal(space.model)
    let revision = SQLName.literal(space.revision)
    var statements = [
      Self.extensionStatement,
      """
      CREATE TABLE IF NOT EXISTS \(name()) (
        owner text COLLATE "C" NOT NULL DEFAULT '',
        key text COLLATE "C" NOT NULL,
        part integer NOT NULL DEFAULT 0 CHECK (part BETWEEN 0 AND 65535),
        "timestamp" timestamptz,
        labels text[] NOT NULL DEFAULT '{}',
        text text,
        words tsvector,
        metadata bytea,
        embedding \(columnType) NOT NULL,
        content_revision bigint,
        device integer NOT NULL DEFAULT 0,
        change bigint NOT NULL,
        model text NOT NULL DEFAULT \(model) CHECK (model = \(model)),
        model_revision text NOT NULL DEFAULT \(revision) CHECK (model_revision = \(revision)),
        PRIMARY KEY (owner, key, part)
      )
      """,
      """
      CREATE TABLE IF NOT EXISTS \(name("_space")) (
        layout integer PRIMARY KEY,
        model text NOT NULL,
        model_revision text NOT NULL,
        dimension integer NOT NULL,
        normalization text NOT NULL
      )
      """,
      """
      INSERT INTO \(name("_space"))
      SELECT \(Self.layout), \(model), \(revision), \(space.dimension), \
      \(SQLName.literal(space.normalization.rawValue))
      WHERE NOT EXISTS (SELECT FROM \(name("_space")))
      """,
      """
      CREATE TABLE IF NOT EXISTS \(name("_owners")) (
        owner text COLLATE "C" PRIMARY KEY,
        change bigint NOT NULL DEFAULT 0,
        newest_device integer NOT NULL DEFAULT 0
      )
      """,
      """
      CREATE TABLE IF NOT EXISTS \(name("_devices")) (
        owner text COLLATE "C" NOT NULL,
        name text COLLATE "C" NOT NULL,
        store bytea NOT NULL,
        device integer NOT NULL,
        store_change bigint NOT NULL DEFAULT 0,
        pushed bigint NOT NULL DEFAULT 0,
        pulled bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (owner, name, store)
      )
      """,
      """
      CREATE TABLE IF NOT EXISTS \(name("_removed")) (
        owner text COLLATE "C" NOT NULL,
        key text COLLATE "C" NOT NULL,
        part integer NOT NULL,
        device integer NOT NULL,
        change bigint NOT NULL,
        PRIMARY KEY (owner, key, part)
      )
      """,
    ]
    if isolatesOwners { statements += ownerIsolation }
    return statements
  }

  /// Makes the indexes: by vector (HNSW), by labels and words (GIN), by time and by change.
  public var indexStatements: [String] {
    var statements = [
      index("change", on: "", "(owner, change)"),
      index("removed_change", on: "_removed", "(owner, change)"),
      index("timestamp", on: "", "(owner, \"timestamp\")"),
      index("labels", on: "", "USING gin (labels)"),
      index("words", on: "", "USING gin (words)"),
    ]
    if hasGraph, let graph {
      let operators = "\(vectorType.rawValue)_\(isUnitLength ? "cosine" : "ip")_ops"
      statements.append(
        index("embedding", on: "", "USING hnsw (embedding \(operators))")
          + " WITH (m = \(graph.m), ef_construction = \(graph.efConstruction))")
    }
    return statements
  }

  private func index(_ suffix: String, on other: String, _ columns: String) -> String {
    "CREATE INDEX IF NOT EXISTS \(SQLName.quoted("\(table)_\(suffix)")) ON \(name(other)) \(columns)"
  }

  /// The tables whose rows belong to owners.
  var ownedTables: [String] { Self.ownedSuffixes.map(name) }
  private static let ownedSuffixes = ["", "_owners", "_devices", "_removed"]

  private var ownerIsolation: [String] {
    Self.ownedSuffixes.flatMap { suffix in
      let policy = SQLName.quoted("\(table)\(suffix)_owner")
      return [
        "ALTER TABLE \(name(suffix)) ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE \(name(suffix)) FORCE ROW LEVEL SECURITY",
        """
        DO $$ BEGIN
          CREATE POLICY \(policy) ON \(name(suffix))
          USING (owner = current_setting('embeddings.owner', true));
        EXCEPTION WHEN duplicate_object THEN NULL;
        END $$
        """,
      ]
    }
  }
}
