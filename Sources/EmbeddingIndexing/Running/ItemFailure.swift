internal import EmbeddingStores
internal import Foundation

/// Why one item of a batch is not stored; the others of the batch are.
struct ItemFailure: Error {
  var kind: IndexingFailure.Kind
  var reason: String

  static func broken(_ reason: String) -> ItemFailure {
    ItemFailure(kind: .broken, reason: reason)
  }

  static func unavailable(_ reason: String) -> ItemFailure {
    ItemFailure(kind: .unavailable, reason: reason)
  }

  /// What a source's or an encoder's error means for its item.
  init(_ error: any Error) {
    switch error {
    case let failure as ItemFailure: self = failure
    case let unavailable as ItemUnavailable:
      self.init(kind: .unavailable, reason: unavailable.reason)
    case let error as StoreError: self = .broken(error.message)
    case let error as CocoaError: self = .broken(error.localizedDescription)
    case let error as any LocalizedError: self = .broken(error.localizedDescription)
    default: self = .broken("\(error)")
    }
  }

  private init(kind: IndexingFailure.Kind, reason: String) {
    self.kind = kind
    self.reason = reason
  }
}
