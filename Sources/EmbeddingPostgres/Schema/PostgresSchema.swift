public import EmbeddingStores

/// The tables and indexes that hold a store's records in PostgreSQL.
///
/// ```swift
/// let schema = PostgresSchema("photos", space: space)
/// print(schema.script)
/// ```
///
/// The table has one row for each owner, key and part. Beside it are four small tables whose names
/// begin with its own: `_space` (what the vectors are), `_owners` (the change number of each owner),
/// `_devices` (how far each device is) and `_removed` (which rows are gone).
public struct PostgresSchema: Sendable {
  /// How the server holds a component.
  public enum VectorType: String, Sendable {
    /// Float16, the bits of the store's own rows.
    case halfvec
    /// Float32, twice the bytes, for servers whose other tables are so.
    case vector
  }

  /// The graph that pgvector searches instead of all rows.
  public struct Graph: Sendable {
    /// Neighbours of a row on each level: 2 to 100.
    public var m: Int
    /// Rows that are considered when a row finds its neighbours: at least twice `m`, up to 1,000.
    public var efConstruction: Int

    /// Says how to build it. More of both means better recall, and longer building.
    public init(m: Int = 16, efConstruction: Int = 64) {
      self.m = m
      self.efConstruction = efConstruction
    }
  }

  /// The table's name: 1 to 48 UTF-8 bytes.
  public var table: String
  /// The PostgreSQL schema that it is in; nil for the first one of the role's search path.
  public var namespace: String?
  /// The space of the vectors, which the table checks of every row.
  public var space: EmbeddingSpace
  /// How the server holds a component.
  public var vectorType: VectorType
  /// The graph; nil for none, so that every search is exact.
  public var graph: Graph?
  /// Whether the server itself shows a session only the rows of its owner: those whose `owner` is
  /// the session's setting `embeddings.owner`, which `PostgresTable` makes.
  ///
  /// It is a safeguard against a forgotten condition, not against a role that may run any SQL.
  public var isolatesOwners: Bool

  /// Describes the tables; nothing is sent anywhere.
  public init(
    _ table: String, namespace: String? = nil, space: EmbeddingSpace,
    vectorType: VectorType = .halfvec,
    graph: Graph? = Graph(), isolatesOwners: Bool = false
  ) {
    self.table = table
    self.namespace = namespace
    self.space = space
    self.vectorType = vectorType
    self.graph = graph
    self.isolatesOwners = isolatesOwners
  }

  /// Everything that `PostgresTable.create()` and `createIndexes()` run, for those who run their
  /// migrations themselves. May be run again.
  public var script: String {
    (tableStatements + indexStatements).map { $0 + ";\n" }.joined(separator: "\n")
  }
}

extension PostgresSchema {
  /// The newest layout of the tables that this version knows.
  static let layout: Int32 = 1
  /// pgvector's indexes take no more components.
  private var largestIndexedDimension: Int { vectorType == .halfvec ? 4_000 : 2_000 }

  var columnType: String { "\(vectorType.rawValue)(\(space.dimension))" }
  var isUnitLength: Bool { space.normalization == .unitLength }
  /// The operator that the index serves: cosine distance or negative inner product.
  var distance: String { isUnitLength ? "<=>" : "<#>" }
  var hasGraph: Bool { graph != nil && space.dimension <= largestIndexedDimension }

  /// The quoted name of the table, or of one that goes with it.
  func name(_ suffix: String = "") -> String {
    let own = SQLName.quoted(table + suffix)
    return namespace.map { "\(SQLName.quoted($0)).\(own)" } ?? own
  }

  func checked() throws(PostgresError) {
    guard (1...48).contains(table.utf8.count), !table.utf8.contains(0),
      namespace.map({ (1...63).contains($0.utf8.count) && !$0.utf8.contains(0) }) ?? true
    else {
      throw PostgresError(
        .invalidArgument, "A table has a name of 1 to 48 UTF-8 bytes, without NUL.")
    }
    guard (1...4_096).contains(space.dimension), !space.model.isEmpty,
      !space.model.utf8.contains(0), !space.revision.utf8.contains(0)
    else {
      throw PostgresError(
        .invalidArgument, "A space has a model without NUL, and 1 to 4,096 dimensions.")
    }
    if let graph {
      guard (2...100).contains(graph.m), (4...1_000).contains(graph.efConstruction),
        graph.efConstruction >= 2 * graph.m
      else {
        throw PostgresError(
          .invalidArgument,
          "A graph has m within 2...100 and efConstruction within 2 * m...1,000.")
      }
    }
  }
}
