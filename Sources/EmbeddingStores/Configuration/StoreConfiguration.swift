/// How a store is opened and used. Every default suits an app.
public struct StoreConfiguration: Sendable {
  /// How the main file is read.
  public enum MainFileAccess: Sendable {
    /// Mapped: shared with other processes, and no private memory.
    case mapped
    /// Copied to the heap: for network or foreign volumes, where another machine may cut a file
    /// short, which kills a process that has it mapped.
    case heap
  }

  /// What to do with a journal that lost entries which were on the medium.
  public enum Recovery: Sendable {
    /// Refuse to open.
    case strict
    /// Open with the commits before the damage; the next write drops the rest for good.
    case salvage
  }

  /// What an acknowledged write survives.
  public var durability = Durability.processKill
  /// When the store compacts itself.
  public var compaction = CompactionPolicy.automatic
  /// Whether compaction writes compact codes beside the rows, which make searching several times
  /// faster and take about half as much again of the rows' bytes. They are left out below 4,096 rows,
  /// below 64 dimensions and above 2,048. A store reads the codes that it finds whatever this says.
  public var writesCompactCodes = true
  /// Threads that one search may use, the caller's included; 0 means one per core. Fewer are used
  /// where more do not pay.
  public var searchThreadCount = 0
  /// Bytes to read below which one more thread costs more than it saves. Tests lower it.
  package var byteCountPerSearchThread = 2 << 20
  /// How long a write waits for another process to finish one.
  public var lockTimeout = Duration.seconds(5)
  /// How the main file is read.
  public var mainFileAccess = MainFileAccess.mapped
  /// What to do with a damaged journal.
  public var recovery = Recovery.strict
  /// Whether opening checks every byte as `verify()` does, and throws the first problem. Opening
  /// then takes time in proportion to the rows.
  public var verifiesOnOpen = false

  /// The defaults.
  public init() {}
}
