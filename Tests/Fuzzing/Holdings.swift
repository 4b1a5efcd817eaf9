import EmbeddingStores
import EmbeddingTestSupport

/// All records of a store, read in every way that there is; the ways must agree.
struct Holdings: Equatable {
  private(set) var records: [StoreModel.Identity: Record] = [:]

  init(_ reader: some EmbeddingReader) throws {
    let rows = try reader.rows(changedSince: 0)
    for row in rows {
      let record = try reader.record(for: row.key, part: row.part)
      let identity = StoreModel.Identity(row.key, row.part)
      guard let record else { throw FuzzFinding("There is no record behind row \(identity).") }
      try FuzzFinding.require(
        records.updateValue(record, forKey: identity) == nil, "Two rows are \(identity).")
      let vector = try reader.vector(for: row.key, part: row.part)
      try FuzzFinding.require(vector == record.vector, "Two ways read two vectors of \(identity).")
    }
    try FuzzFinding.require(
      try reader.count() == rows.count, "The count is not the number of rows.")
    var found = 0
    for key in try reader.keys() {
      for record in try reader.records(for: key) {
        let identity = StoreModel.Identity(record.key, record.part)
        try FuzzFinding.require(
          records[identity] == record, "Two ways read two records of \(identity).")
        found += 1
      }
    }
    try FuzzFinding.require(found == rows.count, "The keys lead to \(found) of \(rows.count) rows.")
  }

  init(_ model: StoreModel) {
    records = model.records
  }

  mutating func put(_ record: Record) {
    records[StoreModel.Identity(record.key, record.part)] = record
  }

  mutating func remove(_ key: String) {
    let key = Array(key.utf8)
    records = records.filter { $0.key.key != key }
  }

  var firstKey: String? { records.min { $0.key < $1.key }?.value.key }
}
