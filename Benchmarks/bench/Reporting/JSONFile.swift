import Foundation

/// The file that `--json` names.
enum JSONFile {
  /// Makes an empty file at `path`, if there is one, before work begins that would be lost when
  /// nothing can be written there.
  static func prepare(_ path: String?) throws(BenchError) {
    guard let path else { return }
    try write(Data(), to: path)
  }

  /// Writes a value to `path`, if there is one.
  static func write(_ value: some Encodable, to path: String?) throws {
    guard let path else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "infinity", negativeInfinity: "-infinity", nan: "nan")
    try write(encoder.encode(value), to: path)
  }

  private static func write(_ data: Data, to path: String) throws(BenchError) {
    do {
      try data.write(to: URL(filePath: path))
    } catch {
      throw BenchError("\(path) cannot be written: \(error.localizedDescription)")
    }
  }
}
