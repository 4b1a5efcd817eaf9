import EmbeddingExchange
import EmbeddingStores
import EmbeddingTestSupport
import Foundation

extension StoreWorker {
  /// Carries out the operations of a seed from a number on, for ever, as `script` does but without
  /// opening the store anew. Meanwhile another thread archives it to a new name in `folder` and restores
  /// the archive beside it, again and again.
  static func scriptAndArchive(
    _ directory: URL, seed: UInt64, from first: Int, into folder: URL
  ) throws {
    say("opening")
    var store = try EmbeddingStore(at: directory, space: ScriptedOperation.space)
    say("open")
    Thread.detachNewThread { [store] in archive(store, into: folder) }
    var number = first
    while true {
      let operation = ScriptedOperation(number: number, seed: seed)
      do {
        if case .reopen = operation {} else { try operation.perform(on: &store, at: directory) }
        say("\(number)")
      } catch {
        say("failed \(number): \(error)")
        exit(5)
      }
      number += 1
    }
  }

  private static func archive(_ store: EmbeddingStore, into folder: URL) {
    var number = 0
    while true {
      do throws(StoreError) {
        let archive = folder.appending(path: "\(number).archive", directoryHint: .notDirectory)
        say("archiving")
        try store.archive(to: archive)
        say("restoring")
        try EmbeddingStore.restore(
          archive, to: folder.appending(path: "\(number).store", directoryHint: .isDirectory))
      } catch {
        say("failed to archive: \(error)")
        exit(5)
      }
      number += 1
    }
  }
}
