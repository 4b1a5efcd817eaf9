internal import EmbeddingFiles
internal import EmbeddingStores
internal import Foundation

/// One export of rows to an array and a list of records.
struct VectorExport {
  let rows: LiveRows
  let elementFormat: ElementFormat
  let arrayPath: String
  let recordsPath: String
  var fileSystem: any FileSystem = POSIXFileSystem()

  private static let blockRowCount = 256

  func run(_ progress: (ExportProgress) -> Void) throws(StoreError) -> Int {
    let records = try UnfinishedFile(recordsPath, on: fileSystem)
    do throws(StoreError) {
      let array = try UnfinishedFile(arrayPath, on: fileSystem)
      do throws(StoreError) {
        try write(array, records, progress)
        try publish(array, records)
      } catch {
        array.discard()
        throw error
      }
    } catch {
      records.discard()
      throw error
    }
    return rows.count
  }

  private func write(
    _ array: UnfinishedFile, _ records: UnfinishedFile, _ progress: (ExportProgress) -> Void
  ) throws(StoreError) {
    try array.append(
      NumPyHeader.encoded(elementFormat, rowCount: rows.count, dimension: rows.dimension))
    let elements = ByteWriter()
    var start = 0
    while start < rows.count {
      guard !Task.isCancelled else {
        throw StoreError(.cancelled, "The export was cancelled. Nothing was written.")
      }
      let block = start..<min(rows.count, start + Self.blockRowCount)
      elements.removeAll()
      try rows.halves(block).withRawSpan { elementFormat.append(halves: $0, to: elements) }
      try elements.withRawSpan { (span) throws(StoreError) in try array.append(span) }
      try writeLines(of: block, to: records)
      start = block.upperBound
      progress(ExportProgress(writtenRowCount: start, totalRowCount: rows.count))
    }
    try array.finish()
    try records.finish()
  }

  /// One record at a time, because one can have tens of megabytes.
  private func writeLines(
    of block: Range<Int>, to records: UnfinishedFile
  ) throws(StoreError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var lines: [UInt8] = []
    for position in block {
      for details in try rows.details(position..<position + 1) {
        do {
          lines += try encoder.encode(RecordLine(details))
        } catch {
          throw StoreError(
            .malformedFile, "The record of \"\(details.key)\" does not become JSON: \(error).",
            key: details.key)
        }
        lines.append(UInt8(ascii: "\n"))
      }
      guard lines.count >= 1 << 20 || position + 1 == block.upperBound else { continue }
      try records.append(lines)
      lines.removeAll(keepingCapacity: true)
    }
  }

  /// The array comes last: where it is, its records are.
  private func publish(
    _ array: UnfinishedFile, _ records: UnfinishedFile
  ) throws(StoreError) {
    try records.publish()
    do throws(StoreError) {
      try array.publish()
    } catch {
      records.unpublish()
      throw error
    }
  }
}
