import EmbeddingExchange
import EmbeddingStores
import EmbeddingTestSupport
import Foundation

/// Arrays of every element format and version with every kind of list.
enum ArraySeeds {
  static func all() throws -> [[UInt8]] {
    let keys = Array("a\nb \u{e9}\r\nc\n".utf8)
    let rows: [[UInt8]] = (0..<3).map { [4, 0, 0, 0] + [UInt8](repeating: $0 + 62, count: 16) }
    let fvecs = rows.flatMap(\.self)
    var seeds = [input(3, fvecs, keys), input(5, fvecs, [])]
    for format in ElementFormat.allCases {
      let (array, list) = try exported(format)
      seeds += [input(0, array, list), input(2, array, keys), input(4, array, [])]
      seeds += [2, 3].map { input(2, later($0, array), keys) }
    }
    return seeds
  }

  private static func input(_ form: UInt8, _ array: [UInt8], _ list: [UInt8]) -> [UInt8] {
    [form, UInt8(array.count & 0xff), UInt8(array.count >> 8)] + array + list
  }

  /// Three records that have everything, as they are exported.
  private static func exported(
    _ format: ElementFormat
  ) throws -> (array: [UInt8], list: [UInt8]) {
    let store = try EmbeddingStore(
      inMemory: EmbeddingSpace(model: "m", dimension: 4, normalization: .none))
    try store.put(
      (0..<3).map { number in
        Record(
          key: "key \(number / 2)", vector: RandomVectors.vector(number: number, dimension: 4),
          part: UInt16(number), timestamp: Date(timeIntervalSince1970: 0.5),
          labels: ["a", "b"], metadata: Data([1, 2]), text: "text\n\u{e9}",
          revision: Revision(rawValue: 7))
      })
    return try ScratchFolder.with { directory in
      let array = directory.url.appending(path: "array")
      let list = directory.url.appending(path: "list")
      try store.exportVectors(toNumPy: array, records: list, as: format)
      return ([UInt8](try Data(contentsOf: array)), [UInt8](try Data(contentsOf: list)))
    }
  }

  /// The array in a version whose header's length takes four bytes instead of two.
  private static func later(_ version: UInt8, _ array: [UInt8]) -> [UInt8] {
    array[..<6] + [version] + array[7..<10] + [0, 0] + array[10...]
  }
}
