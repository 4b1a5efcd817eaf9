import EmbeddingFiles
import EmbeddingStores
import EmbeddingTestSupport
import Synchronization

/// Lets two writers that know nothing of each other, as two processes do, commit to one store at
/// the same time.
struct WritersCampaign: Campaign {
  let name = "writers"
  let purpose = "commit and compact from two writers at once, and look for what each committed"
  let unit = "commits"

  private static let commitsPerRound = 40

  func count(at scale: CampaignScale) -> Int {
    switch scale {
    case .test: 400
    case .push: 100_000
    case .release: 10_000_000
    }
  }

  func run(_ run: CampaignRun) throws {
    while !run.isFinished {
      let disk = SimulatedDisk(DiskImage())
      // Whoever is first makes the store.
      let fileSystem = SimulatedFileSystem(disk)
      let stores = [try open(fileSystem), try open(OtherProcess(base: fileSystem))]
      run.onEveryCore(2) { writer in
        for number in 0..<Self.commitsPerRound / 2 {
          try stores[writer].put([record(writer, number)])
          if number % 8 == writer { try compact(stores[writer]) }
        }
      }
      try check(disk, run)
      run.tried(Self.commitsPerRound)
    }
  }

  /// One of two compactions at the same time gives way to the other.
  private func compact(_ store: EmbeddingStore) throws {
    do {
      try store.compact()
    } catch {
      guard error.code == .compactionInProgress else { throw error }
    }
  }

  private func check(_ disk: SimulatedDisk, _ run: CampaignRun) throws {
    let reader = try CrashSession.open(disk, isReadOnly: true)
    for problem in try reader.verify().problems { run.found("Verification finds: \(problem)") }
    for writer in 0..<2 {
      for number in 0..<Self.commitsPerRound / 2 {
        let expected = record(writer, number)
        guard try reader.record(for: expected.key) == expected else {
          run.found("\(expected.key) was acknowledged and is not there.")
          return
        }
      }
    }
  }

  private func open(_ fileSystem: any FileSystem) throws -> EmbeddingStore {
    var configuration = StoreConfiguration()
    configuration.compaction = .manual
    return try EmbeddingStore(
      fileSystem, path: CrashSession.path, space: CrashSession.space, isReadOnly: false,
      configuration)
  }

  private func record(_ writer: Int, _ number: Int) -> Record {
    Record(
      key: "\(writer) \(number)",
      vector: (0..<8).map { Float((writer * 31 + number * 7 + $0) % 19) - 9.5 })
  }
}
