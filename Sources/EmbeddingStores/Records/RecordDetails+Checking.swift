internal import EmbeddingFiles
internal import Foundation

extension RecordDetails {
  /// The details of a record to be stored, checked against the limits of the format.
  init(checking record: Record) throws(StoreError) {
    try checkKey(record.key)
    let key = record.key
    self.init(
      key: key, part: record.part,
      timestamp: try Timestamp.milliseconds(record.timestamp, key: key),
      labels: try checkedLabels(record.labels, key: key),
      metadata: try checkedMetadata(record.metadata, key: key),
      text: try checkedText(record.text, key: key),
      revision: record.revision?.rawValue ?? RecordDetails.noRevision)
  }
}

extension DetailsUpdate {
  /// An update to be stored, checked against the limits of the format.
  init(checking update: RecordUpdate) throws(StoreError) {
    try checkKey(update.key)
    let key = update.key
    self.init(key: key, part: update.part)
    switch update.timestamp {
    case .unchanged: break
    case .set(let date): timestamp = try Timestamp.milliseconds(date, key: key)
    case .removed: timestamp = RecordDetails.noTimestamp
    }
    switch update.labels {
    case .unchanged: break
    case .set(let labels): self.labels = try checkedLabels(labels, key: key)
    case .removed: labels = []
    }
    switch update.metadata {
    case .unchanged: break
    case .set(let metadata): self.metadata = .some(try checkedMetadata(metadata, key: key))
    case .removed: metadata = .some(nil)
    }
    switch update.text {
    case .unchanged: break
    case .set(let text): self.text = .some(try checkedText(text, key: key))
    case .removed: text = .some(nil)
    }
  }
}

private func checkKey(_ key: String) throws(StoreError) {
  let byteCount = key.utf8.count
  guard FormatLimits.keyByteCount.contains(byteCount) else {
    throw StoreError(
      .invalidKey,
      "A key has 1 to 65,535 UTF-8 bytes; this one has \(byteCount) "
        + "(\"\(key.prefix(40))\(byteCount > 40 ? "..." : "")\").",
      key: key)
  }
}

private func checkedLabels(_ labels: Set<String>, key: String) throws(StoreError) -> [String] {
  if labels.isEmpty { return [] }
  guard labels.count <= FormatLimits.labelCountPerRecord,
    labels.allSatisfy({ FormatLimits.labelByteCount.contains($0.utf8.count) }),
    labels.reduce(0, { $0 + 2 + $1.utf8.count }) <= FormatLimits.labelsByteCountPerRecord
  else {
    throw StoreError(
      .limitExceeded,
      "A label of \"\(key)\" is empty or has more than 65,535 UTF-8 bytes, or there are more than "
        + "65,535 labels or 16 MiB of them.", key: key)
  }
  return labels.sorted(by: KeyOrder.precedes)
}

private func checkedMetadata(_ metadata: Data?, key: String) throws(StoreError) -> [UInt8]? {
  guard let metadata else { return nil }
  guard metadata.count <= FormatLimits.metadataByteCount else {
    throw StoreError(
      .limitExceeded,
      "The metadata of \"\(key)\" has \(metadata.count) bytes; the limit is 16 MiB. Store large "
        + "things in files and their names here.", key: key)
  }
  return [UInt8](metadata)
}

private func checkedText(_ text: String?, key: String) throws(StoreError) -> String? {
  guard let text else { return nil }
  guard text.utf8.count <= FormatLimits.textByteCount else {
    throw StoreError(
      .limitExceeded,
      "The text of \"\(key)\" has \(text.utf8.count) UTF-8 bytes; the limit is 16 MiB.", key: key)
  }
  return text
}
