/// A condition on a record's labels. Labels match by canonical equivalence, as `String` does.
package enum LabelCondition: Sendable {
  case any(Set<String>)
  case all(Set<String>)
  case none(Set<String>)
}

extension Contents {
  /// Leaves in `rows` only those that satisfy `condition`. Reads the labels of all rows.
  package func intersect(
    _ rows: inout RowBitmap, with condition: LabelCondition
  ) throws(StorageError) {
    switch condition {
    case .any(let labels):
      rows.formIntersection(try self.rows(labelledWithAnyOf: labels))
    case .all(let labels):
      for label in labels {
        rows.formIntersection(try self.rows(labelledWithAnyOf: [label]))
      }
    case .none(let labels):
      rows.subtract(try self.rows(labelledWithAnyOf: labels))
    }
  }

  private func rows(labelledWithAnyOf labels: Set<String>) throws(StorageError) -> RowBitmap {
    var bitmap = RowBitmap(rowCount: rowCount)
    let isWanted = try main.labels().map(labels.contains)
    if isWanted.contains(true) {
      try main.insertRows(labelled: isWanted, into: &bitmap)
    }
    for row in main.rowCount..<rowCount
    where try self.labels(of: row).contains(where: labels.contains) {
      bitmap.insert(row)
    }
    return bitmap
  }

  /// The live rows of `keys`. Costs one look-up a key.
  package func liveRows(withKeys keys: some Sequence<String>) throws(StorageError) -> RowBitmap {
    var bitmap = RowBitmap(rowCount: rowCount)
    for key in keys {
      for row in try liveRows(withKey: key) {
        bitmap.insert(row)
      }
    }
    return bitmap
  }
}
