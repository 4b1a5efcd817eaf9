/// A line of JSON that is one record and nothing else.
///
/// Decoders take one of two values that have the same name, and pass over names that they are not asked
/// for. Either would lose something in silence.
struct JSONLine: Decodable {
  private let record: RecordLine
  private let names: [String]

  /// Any name.
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    names = try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue)
    if let unknown = names.first(where: { !RecordLine.hasField($0) }) {
      throw Self.defect("\"\(unknown)\" is no part of a record")
    }
    record = try RecordLine(from: decoder)
  }

  /// The record, if the line that it was decoded from has each name once and is UTF-8.
  func record(of line: ArraySlice<UInt8>) throws -> RecordLine {
    // Decoders take UTF-16 and UTF-32 as well.
    guard !line.contains(0) else { throw Self.defect("it is not UTF-8") }
    guard Self.nameCount(line) == names.count else { throw Self.defect("it has a name twice") }
    return record
  }

  /// The names in a line of JSON: no value of a record is an object, so every colon outside of strings
  /// is behind one.
  private static func nameCount(_ line: ArraySlice<UInt8>) -> Int {
    var count = 0
    var (isInString, isEscaped) = (false, false)
    for byte in line {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\"): isEscaped = isInString
      case UInt8(ascii: "\""): isInString.toggle()
      case UInt8(ascii: ":") where !isInString: count += 1
      default: break
      }
    }
    return count
  }

  private static func defect(_ description: String) -> DecodingError {
    .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: description))
  }
}
