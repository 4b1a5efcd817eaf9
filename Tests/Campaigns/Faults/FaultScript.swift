internal import EmbeddingStores

/// Calls on a store in an order that an app may make them in.
struct FaultScript: Sendable {
  /// One call, or something that befalls the files between two.
  enum Step: Sendable {
    /// Opens for writing, creating the store where there is none; lets go of what was open before.
    case open
    /// Opens a reader beside the writer.
    case openReader
    /// As another process would: goes on with the other of two writers, opening it first.
    case switchWriter
    case close
    case put(Int), putLarge, insert(Int), update, remove, removePart, removeAll, reconcile
    case compact, synchronize, suspend, refresh, refreshReader, backUp, verify
    case search, read, describe
    /// Without a writer: leaves the beginning of an append behind the journal's last commit.
    case tearTail
    /// Without a writer: changes the last commit, and salvages from here on.
    case damageLastCommit
  }

  let name: String
  var durability = Durability.processKill
  /// The journal's size that calls for a compaction.
  var journalByteCount = Int.max
  var isHeap = false
  var verifiesOnOpen = false
  let steps: [Step]

  init(
    _ name: String, durability: Durability = .processKill, compactingBeyond byteCount: Int = .max,
    isHeap: Bool = false, verifiesOnOpen: Bool = false, _ steps: [Step]
  ) {
    self.name = name
    self.durability = durability
    journalByteCount = byteCount
    self.isHeap = isHeap
    self.verifiesOnOpen = verifiesOnOpen
    self.steps = steps
  }

  static let all: [FaultScript] = [
    FaultScript("create", [.open]),
    FaultScript("create and close", durability: .powerLoss, [.open, .close, .open, .put(1)]),
    FaultScript("put", [.open, .put(2), .put(1), .put(3)]),
    FaultScript("put durably", durability: .powerLoss, [.open, .put(2), .put(1), .put(3), .close]),
    FaultScript(
      "put in order", durability: .orderedPowerLoss, [.open, .put(2), .put(1), .put(1), .open]),
    FaultScript(
      "put much", durability: .powerLoss, [.open, .putLarge, .put(1), .putLarge, .compact, .open]),
    FaultScript(
      "insert", durability: .powerLoss, [.open, .insert(2), .insert(1), .open, .insert(1), .close]),
    FaultScript(
      "update", durability: .powerLoss,
      [.open, .put(4), .update, .compact, .update, .close, .open, .update]),
    FaultScript("remove", [.open, .put(5), .remove, .removePart, .remove, .put(1), .open]),
    FaultScript(
      "remove durably", durability: .powerLoss,
      [.open, .put(5), .compact, .remove, .removePart, .open]),
    FaultScript(
      "remove all", durability: .powerLoss, [.open, .put(3), .removeAll, .put(1), .removeAll]),
    FaultScript(
      "reconcile", durability: .powerLoss,
      [.open, .put(6), .reconcile, .compact, .reconcile, .open]),
    FaultScript("compact", [.open, .put(4), .compact, .put(2), .remove, .compact, .close]),
    FaultScript(
      "compact durably", durability: .powerLoss,
      [.open, .put(4), .compact, .put(2), .compact, .open]),
    FaultScript(
      "compact by itself", compactingBeyond: 600,
      [.open, .put(3), .put(3), .remove, .put(3), .update, .put(3), .close]),
    FaultScript(
      "compact by itself durably", durability: .powerLoss, compactingBeyond: 600,
      [.open, .put(3), .put(3), .open, .remove, .put(3), .close]),
    FaultScript("close and open", [.open, .put(2), .close, .open, .put(1), .close, .open, .read]),
    FaultScript("open again and again", [.open, .put(2), .open, .open, .put(1), .open, .search]),
    FaultScript(
      "synchronize", [.open, .put(2), .synchronize, .put(1), .put(1), .synchronize, .open]),
    FaultScript(
      "synchronize what was opened",
      [.open, .put(2), .synchronize, .open, .synchronize, .put(1), .open, .synchronize, .close]),
    FaultScript("suspend", [.open, .put(2), .suspend, .put(1), .suspend, .open, .suspend]),
    FaultScript(
      "torn tail",
      [.open, .put(3), .close, .tearTail, .open, .read, .put(1), .tearTail, .open, .compact]),
    FaultScript(
      "torn tail, durably", durability: .powerLoss,
      [.open, .put(3), .tearTail, .open, .put(1), .close, .tearTail, .open, .remove, .open]),
    FaultScript(
      "salvage", durability: .powerLoss,
      [.open, .put(2), .put(3), .close, .damageLastCommit, .open, .read, .put(1), .close, .open]),
    FaultScript(
      "salvage and compact",
      [.open, .put(2), .put(3), .close, .damageLastCommit, .open, .compact, .put(1), .open]),
    FaultScript(
      "reader",
      [
        .open, .put(3), .openReader, .put(1), .refreshReader, .compact, .refreshReader, .remove,
        .openReader, .refreshReader,
      ]),
    FaultScript(
      "two writers",
      [
        .open, .put(2), .switchWriter, .put(1), .switchWriter, .refresh, .compact, .switchWriter,
        .put(1), .remove, .close, .switchWriter, .put(1), .close,
      ]),
    FaultScript(
      "two writers durably", durability: .powerLoss,
      [
        .open, .put(2), .switchWriter, .put(1), .compact, .switchWriter, .put(1), .openReader,
        .switchWriter, .update, .synchronize, .switchWriter, .refresh, .refreshReader,
      ]),
    FaultScript(
      "a writer after another",
      [
        .open, .put(2), .synchronize, .switchWriter, .put(1), .synchronize, .switchWriter, .put(1),
        .synchronize,
      ]),
    FaultScript("back up", [.open, .put(4), .backUp, .compact, .remove, .backUp, .backUp]),
    FaultScript(
      "read", durability: .powerLoss,
      [
        .open, .put(5), .compact, .open, .read, .search, .describe, .verify, .put(1), .read,
        .search, .verify, .refresh, .describe,
      ]),
    FaultScript(
      "on the heap, checked", isHeap: true, verifiesOnOpen: true,
      [.open, .put(3), .compact, .open, .put(1), .openReader, .close, .open, .verify, .read]),
  ]
}
