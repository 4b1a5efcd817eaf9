import EmbeddingStores
import EmbeddingTestSupport

/// A store from which workloads start: a few records in its main file, all of it durable.
struct CrashStart: Sendable {
  let image: DiskImage
  let model: StoreModel

  init() throws {
    let disk = SimulatedDisk(DiskImage())
    var session = try CrashSession(disk, .powerLoss, StoreModel())
    try session.put(["a", "b", "c"].map { session.makeRecord($0) })
    try session.put([session.makeRecord("b", part: 1)])
    try session.store.compact()
    try session.store.close()
    image = try disk.withState { $0.durable }
    model = session.model
  }

  /// Makes a store where nothing is; the first record ends it, so that there is something to lose.
  static func creation(neglecting neglect: Neglect?) throws -> CrashHistory {
    let disk = SimulatedDisk(DiskImage(), neglecting: neglect)
    disk.record(true)
    var session = try CrashSession(disk, .powerLoss, StoreModel())
    var states = [CrashState(session.model)]
    disk.promise(CrashPromise(begun: 1))
    try session.put([session.makeRecord("first")])
    states.append(CrashState(session.model))
    disk.promise(CrashPromise(acknowledged: 1, durable: 1, begun: 1))
    return CrashHistory(points: disk.points, states: states)
  }
}
