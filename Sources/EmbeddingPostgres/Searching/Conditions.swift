internal import EmbeddingStores

/// The conditions of a search in SQL, with their values bound.
struct Conditions {
  private(set) var sql: String
  private(set) var values: [WireValue]

  init(owner: String, _ filter: Filter, without key: String?) throws(PostgresError) {
    sql = "owner = $1::text"
    values = [.text(owner)]
    if let timestamps = filter.timestamps {
      let lower = PostgresTime(bound: timestamps.lowerBound).microseconds
      let upper = PostgresTime(bound: timestamps.upperBound).microseconds
      add("\"timestamp\" >= \(bind(.integer(lower)))::timestamptz")
      add("\"timestamp\" < \(bind(.integer(upper)))::timestamptz")
    }
    for condition in filter.labels {
      switch condition {
      case .any(let labels): add("labels && \(try bind(labels))")
      case .none(let labels): add("NOT labels && \(try bind(labels))")
      case .all(let labels):
        // No row on the server has a label with NUL.
        add(labels.contains(where: Self.hasNUL) ? "false" : "labels @> \(try bind(labels))")
      }
    }
    if let keys = filter.keys {
      let known = keys.filter { !Self.hasNUL($0) }
      add("key = ANY (\(bind(try .texts(known)))::text[])")
    }
    if let key, !Self.hasNUL(key) { add("key <> \(bind(.text(key)))::text") }
  }

  /// A placeholder for a value.
  mutating func bind(_ value: WireValue) -> String {
    values.append(value)
    return "$\(values.count)"
  }

  mutating func add(_ condition: String) {
    sql += " AND \(condition)"
  }

  private mutating func bind(_ labels: Set<String>) throws(PostgresError) -> String {
    let known = labels.filter { !Self.hasNUL($0) }.map(LabelForm.stored)
    return bind(try .texts(known)) + "::text[]"
  }

  private static func hasNUL(_ text: String) -> Bool { text.utf8.contains(0) }
}
