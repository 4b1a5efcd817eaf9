import EmbeddingStores
import EmbeddingTestSupport
import Foundation

extension StoreWorker {
  /// Carries out the operations of a seed from a number on, for ever, and says the number of each
  /// once it has returned. Says beforehand when it opens and when it compacts. A follower is told
  /// after each.
  static func script(
    _ directory: URL, seed: UInt64, from first: Int, _ follower: WordFollower?
  ) throws {
    say("opening")
    var store = try EmbeddingStore(at: directory, space: ScriptedOperation.space)
    say("open")
    var number = first
    while true {
      let operation = ScriptedOperation(number: number, seed: seed)
      if case .compact = operation { say("compacting") }
      do {
        try operation.perform(on: &store, at: directory)
        say("\(number)")
        try follower?.follow(store, number)
      } catch {
        say("failed \(number): \(error)")
        exit(5)
      }
      number += 1
    }
  }

  /// Opens a store for writing and closes it again.
  static func reopen(_ directory: URL) throws {
    say(
      outcome {
        try EmbeddingStore(at: directory, space: ScriptedOperation.space).close()
      })
  }
}
