package import EmbeddingStores
package import Foundation

/// What a seed and a number make a process do to a store, and another process to a model of it.
package enum ScriptedOperation: Sendable {
  case put([Record])
  case update(RecordUpdate)
  case remove(String)
  case removePart(String, UInt16)
  case removeAll
  case compact
  case backUp
  case reopen

  /// Its components are whole numbers, which a row keeps exactly.
  package static let space = EmbeddingSpace(
    model: "worker", dimension: 8, normalization: .none)

  package init(number: Int, seed: UInt64) {
    var generator = SeededGenerator(seed: seed &+ UInt64(number) &* 0x2545_f491_4f6c_dd1d)
    let key = Self.key(&generator)
    let part = UInt16.random(in: 0..<3, using: &generator)
    switch Int.random(in: 0..<200, using: &generator) {
    case 0..<80: self = .put([Self.record(number, key, part, &generator)])
    case 80..<120:
      let count = Int.random(in: 2...20, using: &generator)
      self = .put(
        (0..<count).map { _ in Self.record(number, Self.key(&generator), part, &generator) })
    case 120..<150:
      self = .update(
        RecordUpdate(
          key: key, part: part, labels: .set(["updated"]), metadata: .removed,
          text: .set("updated by \(number)")))
    case 150..<170: self = .remove(key)
    case 170..<188: self = .removePart(key, part)
    case 188: self = .removeAll
    case 189..<194: self = .compact
    case 194: self = .backUp
    default: self = .reopen
    }
  }

  private static func key(_ generator: inout SeededGenerator) -> String {
    "key \(Int.random(in: 0..<60, using: &generator))"
  }

  private static func record(
    _ number: Int, _ key: String, _ part: UInt16, _ generator: inout SeededGenerator
  ) -> Record {
    Record(
      key: key, vector: RandomVectors.integers(dimension: 8, using: &generator), part: part,
      labels: ["put"], metadata: Data("\(number)".utf8), text: "put by \(number)",
      revision: Revision(rawValue: UInt64(number % 3)))
  }
}

extension ScriptedOperation {
  /// What the operation does to the records.
  package func apply(to model: inout StoreModel) {
    switch self {
    case .put(let records): for record in records { model.put(record) }
    case .update(let update): _ = model.update(update)
    case .remove(let key): model.remove(key)
    case .removePart(let key, let part): model.remove(key, part: part)
    case .removeAll: model.removeAll()
    case .compact, .backUp, .reopen: break
    }
  }

  /// Carries the operation out. An update of a record that is not there changes nothing.
  package func perform(on store: inout EmbeddingStore, at directory: URL) throws {
    switch self {
    case .put(let records): try store.put(records)
    case .update(let update):
      do throws(StoreError) {
        try store.update([update])
      } catch {
        guard error.code == .notFound else { throw error }
      }
    case .remove(let key): try store.remove([key])
    case .removePart(let key, let part): try store.remove(key, part: part)
    case .removeAll: try store.removeAll()
    case .compact: try store.compact()
    case .backUp:
      let backup = directory.appendingPathExtension("backup")
      try store.backup(to: backup)
      try FileManager.default.removeItem(at: backup)
    case .reopen:
      try store.close()
      store = try EmbeddingStore(at: directory, space: Self.space)
    }
  }
}
