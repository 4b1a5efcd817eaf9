internal import EmbeddingKernels
internal import Synchronization

/// Lists that searches need for a moment, kept from one to the next: giving memory back to the
/// system and asking for it again would take longer than some stages.
final class SearchScratch: Sendable {
  /// Lists that are kept, and the rows up to which one is: at most 9 MiB in all.
  private static let listCount = 12
  private static let rowCount = 65_536

  private let lists = Mutex<[Survivors]>([])

  /// An empty list.
  func take() -> Survivors {
    lists.withLock { $0.popLast() } ?? Survivors()
  }

  func giveBack(_ list: Survivors) {
    guard list.capacity <= Self.rowCount else { return }
    list.removeAll()
    lists.withLock { if $0.count < Self.listCount { $0.append(list) } }
  }
}
