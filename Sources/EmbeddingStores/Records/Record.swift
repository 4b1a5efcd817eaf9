internal import EmbeddingFiles
public import Foundation

/// What a store keeps under a key (and part): a vector, and what the app knows about the item.
///
/// Putting a record stores all of it in one commit. Limits: a key has 1 to 65,535 UTF-8 bytes, a
/// label the same, metadata and text at most 16 MiB each.
public struct Record: Equatable, Sendable {
  /// The item's identifier. Its UTF-8 bytes are its identity: a composed and a decomposed "é" are
  /// two keys, though Swift calls the strings equal.
  public var key: String
  /// Which vector of the item this is, such as a tile of a panorama or a passage of a document. A
  /// search finds the best part of each key.
  public var part: UInt16
  /// When the item was made, to the millisecond.
  public var timestamp: Date?
  /// Tags, such as `"beach"`. Two labels that Swift calls equal are the same label.
  public var labels: Set<String>
  /// Bytes that mean something to the app.
  public var metadata: Data?
  /// Words of the item, such as recognised text.
  public var text: String?
  /// Which state of the item's content the vector was made from, for those who index a source.
  public var revision: Revision?

  var components: ContiguousArray<Float>

  /// The embedding: `dimension` components of any length. A record that was read back has the
  /// stored row instead: normalised if the space is, and rounded to Float16.
  public var vector: [Float] {
    get { Array(components) }
    set { components = ContiguousArray(newValue) }
  }

  /// Makes a record; the vector is copied.
  public init(
    key: String, vector: some Collection<Float>, part: UInt16 = 0, timestamp: Date? = nil,
    labels: Set<String> = [], metadata: Data? = nil, text: String? = nil, revision: Revision? = nil
  ) {
    self.key = key
    self.part = part
    self.timestamp = timestamp
    self.labels = labels
    self.metadata = metadata
    self.text = text
    self.revision = revision
    components = ContiguousArray(vector)
  }

  /// Makes a record whose metadata is a value, kept as JSON; throws what its encoding throws.
  public init(
    key: String, vector: some Collection<Float>, part: UInt16 = 0, timestamp: Date? = nil,
    labels: Set<String> = [], metadataValue: some Encodable, text: String? = nil,
    revision: Revision? = nil
  ) throws {
    self.init(
      key: key, vector: vector, part: part, timestamp: timestamp, labels: labels,
      metadata: try MetadataCoding.encode(metadataValue), text: text, revision: revision)
  }

  /// Whether everything in both is equal, keys compared by bytes.
  public static func == (first: Record, second: Record) -> Bool {
    KeyOrder.areEqual(first.key, second.key) && first.part == second.part
      && first.components == second.components && first.timestamp == second.timestamp
      && first.labels == second.labels && first.metadata == second.metadata
      && first.text == second.text && first.revision == second.revision
  }

  /// The metadata as a value that was put with the record; nil when there is none.
  public func metadata<Value: Decodable>(as type: Value.Type) throws -> Value? {
    try metadata.map { try MetadataCoding.decode(type, from: $0) }
  }
}

/// How values become metadata: JSON with sorted keys, so that equal values have equal bytes.
enum MetadataCoding {
  static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(value)
  }

  static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try JSONDecoder().decode(type, from: data)
  }
}
