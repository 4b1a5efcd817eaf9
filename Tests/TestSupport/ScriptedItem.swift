package import EmbeddingStores
package import Foundation

/// An item of a source whose content follows from its number and the version of the source, so
/// that one process can index what another one checks.
package struct ScriptedItem: Sendable {
  package enum Version: Int, Sendable {
    /// Some items, all of more parts than later, some that are gone later, and some that are not
    /// available yet.
    case earlier
    /// Every item; some can not be indexed.
    case current
    /// Every item, none of which fails.
    case flawless
  }

  /// Why an item can not be indexed.
  package enum Defect: Sendable {
    case unavailable, unreadable, notFinite
  }

  package let number: Int
  package let version: Version

  package init(_ number: Int, in version: Version) {
    self.number = number
    self.version = version
  }

  /// The items of a source of `count` items.
  package static func all(_ count: Int, in version: Version) -> [ScriptedItem] {
    let numbers = version == .earlier ? 0..<count + count / 50 : 0..<count
    return numbers.map { ScriptedItem($0, in: version) }.filter { $0.isListed(among: count) }
  }

  private func isListed(among count: Int) -> Bool {
    version != .earlier || number >= count || [3, 4, 8].contains(number % 10)
  }

  /// Spaces of one dimension, so that nothing but their vectors tells them apart. Components are
  /// whole numbers, whose products are exact.
  package static func space(_ number: Int) -> EmbeddingSpace {
    EmbeddingSpace(model: "scripted \(number)", dimension: 16, normalization: .none)
  }
}

// MARK: - What it is

extension ScriptedItem {
  package var key: String { "item \(number)" }
  package var revision: Revision { Revision("version \(version.rawValue)") }
  package var timestamp: Date { Date(timeIntervalSince1970: Double(number * 3 + version.rawValue)) }
  package var labels: Set<String> { [number.isMultiple(of: 2) ? "even" : "odd"] }
  package var metadata: Data { Data("\(number) \(version.rawValue)".utf8) }

  /// What the source says; nil where a text that is stored is to stay.
  package var text: String? {
    let isSaid = version == .earlier || !number.isMultiple(of: 7)
    return isSaid ? "item \(number) in version \(version.rawValue)" : nil
  }

  package var partCount: Int {
    if version == .earlier { return 3 }
    return number % 10 == 0 ? 3 : number % 10 == 3 ? 2 : 1
  }

  package var defect: Defect? {
    switch version {
    case .earlier: number % 10 == 4 ? .unavailable : nil
    case .current:
      number % 97 == 5
        ? .unavailable
        : number % 89 == 7 ? .unreadable : number % 83 == 3 ? .notFinite : nil
    case .flawless: nil
    }
  }

  package func vector(part: Int, in space: EmbeddingSpace) -> [Float] {
    if defect == .notFinite {
      return [Float](repeating: .nan, count: space.dimension)
    }
    let name = "\(number) \(version.rawValue) \(part) \(space.model)"
    var generator = SeededGenerator(seed: Revision(name).rawValue)
    return RandomVectors.integers(dimension: space.dimension, using: &generator)
  }

  /// The records of a store that knew the earlier version.
  package func records(in space: EmbeddingSpace) -> [Record] {
    let earlier = ScriptedItem(number, in: .earlier)
    let isCarried = version == .current && earlier.isListed(among: .max) && earlier.defect == nil
    return (0..<partCount).map { part in
      Record(
        key: key, vector: vector(part: part, in: space), part: UInt16(part), timestamp: timestamp,
        labels: labels, metadata: metadata, text: text ?? (isCarried ? earlier.text : nil),
        revision: revision)
    }
  }
}
