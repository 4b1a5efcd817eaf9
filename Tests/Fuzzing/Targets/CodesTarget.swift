import EmbeddingKernels

/// What reads compact codes, given a basis and a chunk of which any byte may be another: nothing
/// traps or reads beyond them, and all levels of the kernels agree.
struct CodesTarget: FuzzTarget {
  let name = "codes"

  private static let whole = [(64, 21), (80, 70), (256, 17), (300, 34)].compactMap {
    CodedRows(dimension: $0, count: $1)
  }

  func seeds() throws -> [[UInt8]] {
    // Whole codes, then one other byte in a number of the basis, of the chunk, and in its last row.
    let changes: [[UInt8]] = [[], [0, 16, 0, 0, 200], [1, 3, 0, 0, 127], [1, 255, 10, 0, 15]]
    return [[0, 128], [1, 140], [2, 100], [3, 128]].flatMap { start in
      changes.map { start + $0 }
    }
  }

  func run(_ input: [UInt8]) throws {
    var source = ByteSource(input)
    try FuzzFinding.require(Self.whole.count == 4, "Rows can not be coded.")
    var coded = Self.whole[source.below(Self.whole.count)]
    let threshold = Float(source.below(256) - 128) / 64
    while !source.isEmpty {
      let isChunk = source.byte() % 2 == 1
      let offset = source.number(byteCount: 3)
      coded.overwrite(isChunk: isChunk, at: offset, with: source.byte())
    }
    let expected = coded.survivors(threshold, Kernels(level: .scalar))
    let answer = coded.survivors(threshold, .current)
    try FuzzFinding.require(
      answer == expected, "The scalar kernels keep \(expected), these \(answer).")
  }
}

/// A chunk of coded rows and what it refers to, as bytes.
private struct CodedRows: Sendable {
  let layout: CodeLayout
  let rowCount: Int
  private let query: PreparedQuery
  private var basis: [UInt8]
  private var chunk: [UInt8]

  init?(dimension: Int, count: Int) {
    guard let layout = CodeLayout(dimension: dimension) else { return nil }
    self.layout = layout
    rowCount = count
    let rows = RowBuffer(dimension: dimension, capacity: count)
    func vector(_ number: Int) -> ContiguousArray<Float> {
      ContiguousArray((0..<dimension).map { Float(($0 * (number + 3) * 31 + number) % 29) - 13 })
    }
    guard
      let query = try? PreparedQuery(
        vector(count).span, dimension: dimension, normalizing: true)
    else { return nil }
    self.query = query
    for number in 0..<count { try? rows.append(vector(number).span, normalizing: true) }
    let fitted = rows.withBytes { bytes in
      CodeBasis(layout, stride: rows.stride) { visit in visit(bytes, rows.count) }
    }
    guard let fitted, rows.count == count else { return nil }
    basis = fitted.bytes
    chunk = rows.withBytes { bytes in
      RowEncoder(fitted).encode(rows.count, stride: rows.stride) { visit in
        visit(bytes, rows.count)
      }
    }
  }

  mutating func overwrite(isChunk: Bool, at offset: Int, with byte: UInt8) {
    if isChunk {
      chunk[offset % chunk.count] = byte
    } else {
      basis[offset % basis.count] = byte
    }
  }

  /// The rows that stay after each stage; empty where the basis is refused.
  func survivors(_ threshold: Float, _ kernels: Kernels?) -> [[UInt32]] {
    guard let kernels else { return [] }
    return basis.withUnsafeBytes { basis in
      chunk.withUnsafeBytes { chunk in
        survivors(threshold, kernels, RawSpan(_unsafeBytes: basis), RawSpan(_unsafeBytes: chunk))
      }
    }
  }

  private func survivors(
    _ threshold: Float, _ kernels: Kernels, _ basis: RawSpan, _ chunk: RawSpan
  ) -> [[UInt32]] {
    guard let coded = CodeQuery(query, basis: basis, layout, rowLength: 1.001) else { return [] }
    let scanner = CodeScanner(coded, kernels: kernels)
    let list = Survivors(kernels: kernels)
    var kept: [[UInt32]] = []
    for stage in 0..<layout.stageCount {
      let range = layout.range(ofStage: stage, rowCount: rowCount)
      if stage == 0 {
        scanner.scan(
          chunk: 0, chunk, firstRow: 0, rowCount: rowCount, allowed: nil, threshold: threshold,
          into: list)
      } else {
        let count = scanner.refine(
          list, 0..<list.count, to: 0, stage: stage, chunk: 0, chunk.extracting(range),
          firstRow: 0, threshold: threshold)
        list.truncate(to: count)
      }
      kept.append((0..<list.count).map { list.row(at: $0) })
    }
    return kept
  }
}
