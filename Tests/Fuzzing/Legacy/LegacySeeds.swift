import Foundation

/// Files of the legacy app, whole and cut short, and dictionaries that Foundation archived, as input of
/// the target.
enum LegacySeeds {
  static func all() throws -> [[UInt8]] {
    let records = (0..<4).map { record("a key of many bytes \($0)", Float($0)) }
    let main = header(count: 2) + records[0] + records[1]
    let journal = records[2] + records[3]
    let zero = record("zero", nil)
    let removed = Array("a key of many bytes 1\nnone\n".utf8)
    let torn = Array(records[2].dropLast(7)) + records[3] + record("with\nbreak", 1)
    return [
      input(main, journal, removed), input(main, torn, Array("with\nbreak\na ke".utf8)),
      input(header(count: 9) + zero + records[0], [], []), input([], journal, []),
      input(Array(main.dropFirst(3)), records[0] + [0, 0, 0, 0] + journal, Array("a".utf8)),
    ] + (try archives())
  }

  private static func input(
    _ main: [UInt8], _ journal: [UInt8], _ removed: [UInt8]
  ) -> [UInt8] {
    [0] + size(main) + main + size(journal) + journal + removed
  }

  private static func size(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8(bytes.count & 0xff), UInt8(bytes.count >> 8)]
  }

  private static func header(count: UInt8) -> [UInt8] {
    Array("QEMB".utf8) + [1, 0, 0, 0, count, 0, 0, 0]
  }

  /// A record of `LegacyTarget.dimension` components; zeros for nil.
  private static func record(_ key: String, _ first: Float?) -> [UInt8] {
    let vector = (0..<LegacyTarget.dimension).map { index in first.map { $0 + Float(index) } ?? 0 }
    return size(Array(key.utf8)) + Array(key.utf8) + vector.flatMap(bytes)
  }

  private static func bytes(_ component: Float) -> [UInt8] {
    withUnsafeBytes(of: component.bitPattern.littleEndian) { Array($0) }
  }

  private static func archives() throws -> [[UInt8]] {
    let data = Data([Float(1), 2, 3, 4].flatMap(bytes))
    let roots: [NSDictionary] = [
      ["list": [1, 0.5, 0, 300] as NSArray, "\u{e9}": [0, 0, 0, 1] as NSArray],
      ["data": data as NSData, "text": "text" as NSString, "short": [1] as NSArray],
      [:],
    ]
    return try roots.map { root in
      [1]
        + [UInt8](
          try NSKeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: true))
    }
  }
}
